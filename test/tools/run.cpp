#include "tools/run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace {

int check(int value, const char* what) {
  if (value < 0) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
  return value;
}

void close_once(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Makes a pipe and hands its ends over.
void make_pipe(int& to_read, int& to_write) {
  int ends[2];
  check(::pipe2(ends, O_CLOEXEC), "pipe2");
  to_read = ends[0];
  to_write = ends[1];
}

void read_some(int& fd, std::string& into) {
  char buffer[1 << 16];
  const ssize_t got = ::read(fd, buffer, sizeof buffer);
  if (got > 0) {
    into.append(buffer, static_cast<std::size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    close_once(fd);  // a terminal without a program behind it says EIO instead of its end
  }
}

// The words of $THRESH_TEST_UNDER, such as valgrind and its options, which then runs the program.
std::vector<std::string> words_before(const std::string& program) {
  const char* const under = ::getenv("THRESH_TEST_UNDER");
  if (under == nullptr || program != THRESH_BINARY) return {};
  std::istringstream text(under);
  return {std::istream_iterator<std::string>(text), {}};
}

void limit_files(std::uint64_t bytes) {
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Result& result) {
  return out << "exit " << result.exit << "\n--- stdout\n"
             << result.out << "--- stderr\n"
             << result.err << "---";
}

Process::Process(const Command& command) {
  ::signal(SIGPIPE, SIG_IGN);  // a program that stops reading is not the end of its test
  int child[3];
  open_streams(command, child);
  pid_ = check(::fork(), "fork");
  if (pid_ == 0) execute(command, child[0], child[1], child[2]);
  for (int& fd : child) close_once(fd);
}

Process::~Process() {
  close_once(in_);
  close_once(out_);
  close_once(err_);
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Process::open_streams(const Command& command, int (&child)[3]) {
  if (command.input_pipe) {
    make_pipe(child[0], in_);
    check(::fcntl(in_, F_SETFL, O_NONBLOCK), "fcntl");
  } else {
    const char* from = command.input_file.empty() ? "/dev/null" : command.input_file.c_str();
    child[0] = check(::open(from, O_RDONLY | O_CLOEXEC), from);
  }
  if (command.output_file.empty()) {
    make_pipe(out_, child[1]);
  } else {
    const char* to = command.output_file.c_str();
    child[1] = check(::open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), to);
  }
  if (command.terminal) {
    check(::openpty(&err_, &child[2], nullptr, nullptr, nullptr), "openpty");
    check(::fcntl(err_, F_SETFD, FD_CLOEXEC), "fcntl");
  } else {
    make_pipe(err_, child[2]);
  }
}

void Process::execute(const Command& command, int in, int out, int err) const {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed takes its program along
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (command.file_limit > 0) limit_files(command.file_limit);
  for (const auto& [name, value] : command.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<std::string> line = words_before(command.program);
  line.push_back(command.program);
  line.insert(line.end(), command.arguments.begin(), command.arguments.end());
  std::vector<char*> words;
  for (std::string& word : line) words.push_back(word.data());
  words.push_back(nullptr);
  if (::chdir(command.folder.c_str()) == 0) ::execvp(words[0], words.data());
  ::_exit(127);
}

void Process::close_input() {
  input_ends_ = true;
  if (pending_.empty()) close_once(in_);
}

void Process::write_input() {
  const ssize_t put = ::write(in_, pending_.data(), pending_.size());
  if (put < 0 && errno != EAGAIN && errno != EINTR) {
    close_once(in_);
    return;
  }
  if (put > 0) {
    fed_ += static_cast<std::uint64_t>(put);
    pending_.erase(0, static_cast<std::size_t>(put));
  }
  if (pending_.empty() && input_ends_) close_once(in_);
}

void Process::step() {
  if (pending_.empty()) pending_ = refill_;
  pollfd streams[] = {
      {out_, POLLIN, 0}, {err_, POLLIN, 0}, {pending_.empty() ? -1 : in_, POLLOUT, 0}};
  if (::poll(streams, 3, -1) < 0) {
    if (errno != EINTR) check(-1, "poll");
    return;
  }
  if (streams[0].revents != 0) read_some(out_, result_.out);
  if (streams[1].revents != 0) read_some(err_, result_.err);
  if (streams[2].revents != 0) write_input();
}

bool Process::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (out_ < 0 && err_ < 0) return false;
    step();
  }
  return true;
}

bool Process::holds_file_in(const std::string& folder) const {
  namespace fs = std::filesystem;
  const std::string start = fs::canonical(folder).string() + "/";
  std::error_code gone;  // descriptors come and go
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid_) + "/fd", gone)) {
    if (fs::read_symlink(entry, gone).string().starts_with(start)) return true;
  }
  return false;
}

void Process::signal(int number) const {
  check(::kill(pid_, number), "kill");
}

Result Process::finish() {
  run_until([] { return false; });
  int status = 0;
  check(::waitpid(pid_, &status, 0), "waitpid");
  pid_ = -1;
  result_.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result_;
}

Result run(const Command& command) {
  return Process(command).finish();
}
