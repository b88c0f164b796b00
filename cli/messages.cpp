#include "messages.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "thresh/files.hpp"

namespace thresh::cli {
namespace {

// A pipe that nobody reads answers with a signal that would end the program. It is held back while
// we write, and taken away if it came.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    constexpr timespec kNoWait{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &kNoWait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

}  // namespace

void fill_standard_descriptors() {
  // The wrong way around, so that reading from 0 and writing to 1 fail as they would when closed.
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
    // open() takes the lowest free number, which is this one: those below are filled.
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", kModes[fd]);
  }
}

void say_text(std::string_view text) {
  const WithoutPipeSignal guard;
  (void)write_all(STDERR_FILENO, text.data(), text.size());
}

std::string printable(std::string_view text, bool lines) {
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // a control character, U+0080 to U+009f
      clean += fmt::format("\\u{:04x}", next);
      ++i;
    } else if ((byte >= ' ' && byte != 0x7f) || (lines && (byte == '\n' || byte == '\t'))) {
      clean += text[i];
    } else if (byte == '\n') {
      clean += "\\n";
    } else if (byte == '\t') {
      clean += "\\t";
    } else {
      clean += fmt::format("\\x{:02x}", byte);
    }
  }
  return clean;
}

LiveLine::LiveLine(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) != 0) {}

bool LiveLine::due() const {
  return enabled_ && Clock::now() - last_ > std::chrono::milliseconds(100);
}

void LiveLine::show(const std::string& text) {
  if (!enabled_) return;
  say_text("\r\033[K" + printable(text));
  shown_ = true;
  last_ = Clock::now();
}

void LiveLine::clear() {
  if (shown_) say_text("\r\033[K");
  shown_ = false;
}

}  // namespace thresh::cli
