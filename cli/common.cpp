#include "common.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh::cli {

std::atomic<bool> stop_requested = false;

namespace {

std::atomic<int> stop_signal = SIGINT;

// The first signal asks; a second one no longer finds this handler and ends the program at once.
void on_signal(int signal) {
  stop_signal = signal;
  stop_requested = true;
}

// Whether writing one would destroy the other. Neither has to exist yet, and what is no regular
// file, /dev/null for instance, cannot be replaced.
bool is_same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // what cannot be looked at cannot be opened either
  if (fs::equivalent(a, b, ignored)) return fs::is_regular_file(a, ignored);
  if (fs::exists(a, ignored) || fs::exists(b, ignored)) return false;
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  };
  return place(a) == place(b);
}

}  // namespace

void install_stop_handler() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Of a terminal that was closed; not under nohup, which lets a run go on.
  struct sigaction now {};
  sigaction(SIGHUP, nullptr, &now);
  if (now.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // A file that may not grow any more is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

int stop_exit_code() {
  return 128 + stop_signal;
}

void add_output_flags(CLI::App& command, OutputFlags& flags) {
  command.add_flag("--json", flags.json, "Print the result as JSON");
  command.add_flag("-q,--quiet", flags.quiet, "Hide progress and the report, but not warnings");
}

void check_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  std::vector<NamedFile> taken = inputs;
  for (NamedFile& input : taken) {
    if (input.path == "-") input.path = "/dev/stdin";
  }
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    if (output.path == "-") {
      throw UsageError(
          fmt::format("cannot write the {} to -: give a file name, or /dev/stdout", output.what));
    }
    for (const NamedFile& other : taken) {
      if (!other.path.empty() && is_same_file(output.path, other.path)) {
        throw UsageError(
            fmt::format("the {} would overwrite the {}: {}", output.what, other.what, output.path));
      }
    }
    taken.push_back(output);
  }
}

CLI::Validator whole_number() {
  const auto check = [](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range && rest == end) {
      return fmt::format("{} is too large", text);
    }
    if (error != std::errc() || rest != end) return fmt::format("{} is not a whole number", text);
    // Which some take for octal.
    if (text != std::to_string(value)) return fmt::format("{}: write {}", text, value);
    return std::string();
  };
  return {check, "UINT"};
}

CLI::Option* add_choice(CLI::App& command, const char* name, std::string& value,
                        const std::vector<std::string>& words, const char* help) {
  return command.add_option(name, value, help)->check(CLI::IsMember(words))->capture_default_str();
}

double parse_real(const std::string& option, const std::string& text) {
  const auto value = parse_finite(text);
  if (!value) throw UsageError(fmt::format("{}: '{}' is not a finite number", option, text));
  return *value;
}

double parse_seconds(const std::string& option, const std::string& text) {
  std::string number = text;
  double unit = 1;
  if (!text.empty()) {
    const char last = text.back();
    unit = last == 'm' ? 60 : last == 'h' ? 3600 : 1;
    if (last == 's' || last == 'm' || last == 'h') number.pop_back();
  }
  const double seconds = unit * parse_real(option, number);
  if (seconds < 0) throw UsageError(option + " must not be negative");
  return seconds;
}

double parse_percent(const std::string& option, const std::string& text) {
  const bool percent = text.ends_with('%');
  const auto value = percent ? parse_finite(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!value) {
    throw UsageError(fmt::format("{} {}: write a percentage, such as 5%", option, text));
  }
  return *value / 100;
}

std::string percent(double fraction) {
  return fmt::format("{:.4g}%", 100 * fraction);
}

std::string thousands(std::uint64_t n) {
  if (n < 1000) return std::to_string(n);
  return thousands(n / 1000) + fmt::format(",{:03}", n % 1000);
}

std::string skipped(std::uint64_t bad_rows) {
  return fmt::format("{} bad {} skipped", thousands(bad_rows), bad_rows == 1 ? "row" : "rows");
}

void print(std::string_view text) {
  std::string clean;
  if (isatty(STDOUT_FILENO) != 0) text = clean = printable(text, true);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(fmt::format("standard output: {}", std::strerror(errno)));
  }
}

void tell_lines(const std::string& file, const std::string& note) {
  std::istringstream lines(note);
  for (std::string line; std::getline(lines, line);) say("{}: {}\n", file, line);
}

// Names may be in any encoding; JSON is UTF-8.
std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json label_json(const Model& model, double label) {
  if (model.label_names.empty()) return label;
  return model.label_text(label);
}

void print_json(const Json& json) {
  print(json_text(json, 2));
}

void print_result(const OutputFlags& out, const Json& json, const std::string& text) {
  if (out.json) return print_json(json);
  if (!out.quiet) print(text);
}

}  // namespace thresh::cli
