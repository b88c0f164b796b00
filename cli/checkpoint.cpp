// --checkpoint FILE, and thresh resume FILE.

#include "checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include "progress.hpp"
#include "ranks.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh::cli {

std::vector<std::string> arguments;
std::shared_ptr<Checkpoint> resumed;

namespace {

namespace fs = std::filesystem;

bool can_be_read_again(const std::string& path) {
  std::error_code none;
  return path != "-" && (fs::is_regular_file(path, none) || fs::is_directory(path, none));
}

void copy_pipe(const std::string& from, const std::string& to, bool quiet) {
  const int fd = from == "-" ? ::dup(STDIN_FILENO) : ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw Error(fmt::format("{}: {}", from, std::strerror(errno)));
  const std::unique_ptr<const int, void (*)(const int*)> closing(&fd,
                                                                 [](const int* f) { ::close(*f); });
  ReadMeter meter("copying " + from, quiet);
  AtomicFile copy(to);
  std::string piece(std::size_t{1} << 20, '\0');
  for (;;) {
    if (stop_requested) throw Interrupted(from + ": interrupted");
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("{}: {}", from, std::strerror(errno)));
    if (got == 0) break;
    copy.write({piece.data(), static_cast<std::size_t>(got)});
    meter.add(static_cast<std::uint64_t>(got));
  }
  copy.commit();
  meter.clear();
}

std::string copy_beside(const Checkpoint& checkpoint) {
  return checkpoint.path() + ".rows";
}

// From here on the copy is the data. Its name does not show the format, nor that of the model.
void use_copy(TrainCommand& c) {
  if (ranks != nullptr || can_be_read_again(c.data)) return;  // several ranks refuse pipes
  const std::string copy = copy_beside(*c.saved);
  if (!c.saved->continues()) copy_pipe(c.data, copy, c.out.quiet);
  if (c.output.empty()) c.output = model_path(c);
  c.read.format = name_of(format_of(c.data, finish(c.read).format));
  c.read.no_cache = true;
  c.data = copy;
}

// The command to continue. What a launcher started has slices, also where none starts the rest.
std::vector<std::string> command_to_save(const TrainCommand& c) {
  std::vector<std::string> command = arguments;
  const auto slices = c.options.solver_options.find("slices");
  if (slices != c.options.solver_options.end() && !c.given("--slices")) {
    command.insert(command.end(), {"--slices", slices->second});
  }
  return command;
}

// The checkpoint of all ranks, which the first alone has.
std::shared_ptr<Checkpoint> load_on_ranks(const std::string& path) {
  if (ranks == nullptr) return Checkpoint::load(path);
  std::shared_ptr<Checkpoint> loaded;
  std::string bytes;
  if (writes_outputs()) {
    loaded = Checkpoint::load(path);
    bytes = loaded->bytes();
  }
  const Message all = ranks->from_first(std::as_bytes(std::span(bytes)));
  if (loaded) return loaded;
  return Checkpoint::follow(path, {reinterpret_cast<const char*>(all.data()), all.size()});
}

}  // namespace

void add_checkpoint_options(CLI::App& command, TrainCommand& c) {
  add_file(command, "--checkpoint", c.checkpoint,
           "Save the state of the run in this file at intervals. If the program or the machine "
           "stops, `thresh resume` continues from there and writes the same model")
      ->group("Learning");
  command
      .add_option("--checkpoint-every", c.checkpoint_every,
                  "The least time between two writes of the checkpoint, e.g. 30s, 5m or 1h")
      ->capture_default_str()
      ->group("Learning")
      ->needs("--checkpoint");
}

void begin_checkpoint(TrainCommand& c) {
  if (c.checkpoint.empty()) return;
  const double seconds = parse_seconds("--checkpoint-every", c.checkpoint_every);
  if (c.data.empty()) throw UsageError("data is required");
  if (!c.valid.empty() && !can_be_read_again(c.valid)) {
    throw UsageError("--checkpoint: --valid must be a file");
  }
  check_outputs({{"checkpoint", c.checkpoint}, {"model", c.output}, {"trace", c.trace_file}},
                inputs_of(c));
  check_outputs({{"checkpoint", c.checkpoint}}, {{"model to start from", c.from}});
  if (resumed) {
    c.saved = resumed;
    c.saved->set_interval(seconds);
  } else {
    c.saved = writes_outputs()
                  ? std::make_shared<Checkpoint>(c.checkpoint, seconds, command_to_save(c))
                  : Checkpoint::follow(c.checkpoint);
  }
  use_copy(c);
  for (const NamedFile& input : inputs_of(c)) c.saved->watch(input.path);
  c.saved->watch(c.from);
  if (!resumed) c.saved->begin();
  c.options.checkpoint = c.saved.get();
  c.read.options.checkpoint = c.saved.get();
}

void end_checkpoint(const TrainCommand& c) {
  if (!c.saved || stop_requested) return;
  c.saved->finish();
  if (writes_outputs()) ::unlink(copy_beside(*c.saved).c_str());
}

namespace {

void resume(const std::string& path, bool quiet) {
  std::shared_ptr<Checkpoint> found = load_on_ranks(path);
  const std::vector<std::string>& command = found->command();
  const std::vector<std::string> known = {"train", "frontier", "tune", "cv", "path"};
  if (command.empty() || std::find(known.begin(), known.end(), command.front()) == known.end()) {
    throw Error(path + ": not a checkpoint of a command of thresh");
  }
  const std::string text = fmt::format("thresh {}", fmt::join(command, " "));
  if (found->finished()) {
    // Of a run that was killed right before it would have done so.
    if (writes_outputs()) ::unlink(copy_beside(*found).c_str());
    say("{}: the run is finished: {}\n", path, text);
    return;
  }
  if (!quiet) say("{}: resuming {}\n", path, text);
  resumed = std::move(found);
}

}  // namespace

void add_resume(CLI::App& app) {
  struct Flags {
    std::string path;
    bool quiet = false;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App& command = *app.add_subcommand("resume", "Continue an interrupted run");
  add_file(command, "checkpoint", flags->path, "The file that --checkpoint named")->required();
  command.add_flag("-q,--quiet", flags->quiet, "Do not print which command it resumes");
  command.footer(
      "Examples:\n"
      "  thresh train rcv1.svm.xz -o rcv1.thresh --checkpoint rcv1.ckpt\n"
      "  thresh resume rcv1.ckpt\n"
      "Runs the command that was interrupted, from where its checkpoint was written, with its own\n"
      "options and in the current folder; all files must be there under the same names. The model\n"
      "equals that of an uninterrupted run, byte for byte. The run goes on writing checkpoints to "
      "the\n"
      "same file.");
  command.callback([flags] { resume(flags->path, flags->quiet); });
}

}  // namespace thresh::cli
