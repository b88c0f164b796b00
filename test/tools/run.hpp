// Runs the real program the way a shell would: arguments, a working folder, three streams, signals.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct Command {
  std::vector<std::string> arguments;
  std::string program = THRESH_BINARY;
  std::string folder = ".";      // to run in
  std::string input_file;        // standard input from a file; "": nothing to read
  std::string output_file;       // standard output into a file instead of Result::out
  bool input_pipe = false;       // standard input is what feed() gives
  bool terminal = false;         // standard error is a terminal
  std::uint64_t file_limit = 0;  // no file may grow beyond this many bytes; 0: any
  std::vector<std::pair<std::string, std::string>> environment;  // beyond the caller's own
};

struct Result {
  int exit = -1;  // 128 + signal if a signal ended it, as a shell says
  std::string out;
  std::string err;
};
std::ostream& operator<<(std::ostream& out, const Result& result);

// A running program. Nothing here waits for time to pass: run_until() returns when something that
// can be observed has happened. A program that hangs is the test runner's timeout to end.
class Process {
 public:
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Standard input, written as the program takes it. close_input() comes after all that was fed.
  void feed(std::string_view text) { pending_ += text; }
  void feed_forever(std::string text) { refill_ = std::move(text); }
  void close_input();

  const std::string& out() const { return result_.out; }
  const std::string& err() const { return result_.err; }
  std::uint64_t fed() const { return fed_; }

  // Moves data until done() holds, or until the program has closed its outputs: then false.
  bool run_until(const std::function<bool()>& done);
  void signal(int number) const;
  // Whether the program has a file of this folder open, with or without a name.
  bool holds_file_in(const std::string& folder) const;
  Result finish();

 private:
  [[noreturn]] void execute(const Command& command, int in, int out, int err) const;
  void open_streams(const Command& command, int (&child)[3]);
  void step();
  void write_input();

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;  // our ends; -1 when closed
  bool input_ends_ = false;
  std::string pending_, refill_;
  std::uint64_t fed_ = 0;
  Result result_;
};

Result run(const Command& command);
