#include "common.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "data/number.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {

std::atomic<bool> stop_requested = false;

namespace {

std::atomic<int> stop_signal = SIGINT;

// The first signal asks; a second one no longer finds this handler and ends the program at once.
void on_signal(int signal) {
  stop_signal = signal;
  stop_requested = true;
}

}  // namespace

void install_stop_handler() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int stop_exit_code() {
  return 128 + stop_signal;
}

void add_output_flags(CLI::App& command, OutputFlags& flags) {
  command.add_flag("--json", flags.json, "Print the result as JSON");
  command.add_flag("-q,--quiet", flags.quiet, "Print no progress and no report");
}

void add_tolerance_flags(CLI::App& command, ReadFlags& flags) {
  command.add_flag("--allow-unsorted", flags.options.allow_unsorted,
                   "Sort a row's feature indices instead of refusing it");
  command.add_option("--on-bad-row", flags.on_bad_row, "What to do with a bad row: stop or skip")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
  command.add_flag("--no-cache", flags.no_cache, "Neither use nor write a cache beside the data");
}

void add_read_flags(CLI::App& command, ReadFlags& flags) {
  command.add_flag("--zero-based", flags.options.zero_based, "Feature indices start at 0");
  command
      .add_option("--dim", flags.options.dim, "The largest feature index; larger ones are refused")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  command.add_option("--normalize", flags.normalize, "Scale every row to unit length: l2 or none")
      ->check(CLI::IsMember({"none", "l2"}))
      ->capture_default_str();
  add_tolerance_flags(command, flags);
  command
      .add_flag("--cache", flags.cache,
                "Keep parsed rows in DATA.thresh-cache for this and later runs; by itself for text "
                "over 64 MB that is read more than once")
      ->excludes("--no-cache");
}

ReadOptions finish(const ReadFlags& flags) {
  ReadOptions options = flags.options;
  options.normalize_l2 = flags.normalize == "l2";
  options.skip_bad_rows = flags.on_bad_row == "skip";
  options.cache = flags.no_cache ? ReadOptions::Cache::none
                  : flags.cache  ? ReadOptions::Cache::always
                                 : ReadOptions::Cache::large;
  options.on_note = [](const std::string& line) { fmt::print(stderr, "thresh: {}\n", line); };
  options.stop = &stop_requested;
  return options;
}

CLI::Validator whole_number() {
  const auto check = [](const std::string& text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? std::string() : fmt::format("{} is not a whole number", text);
  };
  return {check, "UINT"};
}

double parse_real(const std::string& option, const std::string& text) {
  const char* p = text.c_str();
  double value = 0;
  if (!parse_number(p, text.c_str() + text.size(), value) || *p != '\0') {
    throw UsageError(fmt::format("{}: '{}' is not a number", option, text));
  }
  return value;
}

double parse_percent(const std::string& option, const std::string& text) {
  const char* p = text.c_str();
  double value = 0;
  if (!parse_number(p, text.c_str() + text.size(), value) || std::string_view(p) != "%") {
    throw UsageError(fmt::format("{} {}: write a percentage, such as 5%", option, text));
  }
  return value / 100;
}

std::string percent(double fraction) {
  return fmt::format("{:.4g}%", 100 * fraction);
}

std::string thousands(std::uint64_t n) {
  if (n < 1000) return std::to_string(n);
  return thousands(n / 1000) + fmt::format(",{:03}", n % 1000);
}

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(fmt::format("standard output: {}", std::strerror(errno)));
  }
}

// Names may be in any encoding; JSON is UTF-8.
std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_json(const Json& json) {
  print(to_text(json, 2));
}

}  // namespace thresh::cli
