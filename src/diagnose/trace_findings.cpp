// How the exponents of a run's weights spread, from its trace.

#include <fmt/format.h>

#include <algorithm>

#include "data/read/bytes.hpp"
#include "diagnose/findings.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

using Json = nlohmann::json;

constexpr double kMost = 0.99;            // a smaller share of weights within reach is not normal
constexpr std::size_t kPointsShown = 20;  // in the text; JSON has all points

// The exponents in a trace.
struct Trace {
  Json points = Json::array();  // those with weights
  std::uint64_t lines = 0;
  bool of_frontier = false;  // one line per budget
  bool has_exponents = false;
};

Trace read_trace(const std::string& path) {
  Trace trace;
  std::uint64_t& line_number = trace.lines;
  for_each_line(path, [&](std::string_view line) {
    ++line_number;
    const Json all = Json::parse(line, nullptr, false);
    const auto number = [&](const char* field) {
      return all.is_object() && all.contains(field) && all[field].is_number();
    };
    if (number("features") && number("valid_error")) {
      trace.of_frontier = true;
      return;
    }
    if (!number("examples") || !number("nonzeros")) {
      throw Error(fmt::format("{}:{}: not a line of a trace (see `thresh train --trace`)", path,
                              line_number));
    }
    trace.has_exponents = trace.has_exponents || all.contains("exponents_within");
    if (!number("exponents_within") || !number("exponents_mean") ||
        !number("exponents_deviation")) {
      return;
    }
    trace.points.push_back({{"examples", all["examples"]},
                            {"nonzeros", all["nonzeros"]},
                            {"within", all["exponents_within"]},
                            {"mean", all["exponents_mean"]},
                            {"deviation", all["exponents_deviation"]}});
  });
  return trace;
}

// Why the trace has no exponents.
std::string nothing_in(const Trace& trace) {
  if (trace.lines == 0) return "the trace is empty: the run reached none of the requested points";
  if (trace.of_frontier) {
    return "this is a trace of `thresh frontier`, which has no exponents; trace a single run "
           "(`thresh train --features K --trace FILE`)";
  }
  if (!trace.has_exponents) return "its points do not contain exponents of weights";
  return "no weights at any point";
}

std::string table_of(const Json& points) {
  std::string text = fmt::format("{:>12} {:>10} {:>9} {:>8} {:>10}", "examples", "non-zeros",
                                 "within 51", "mean", "deviation");
  const std::size_t rows = std::min(kPointsShown, points.size());
  for (std::size_t i = 0; i < rows; ++i) {
    // Evenly spaced, including the first and the last.
    const Json& p = points[rows == 1 ? 0 : i * (points.size() - 1) / (rows - 1)];
    text += fmt::format("\n{:>12} {:>10} {:>9} {:>8.1f} {:>10.1f}",
                        p["examples"].get<std::uint64_t>(), p["nonzeros"].get<std::uint64_t>(),
                        fmt::format("{:.4g}%", 100 * p["within"].get<double>()),
                        p["mean"].get<double>(), p["deviation"].get<double>());
  }
  if (rows < points.size()) text += fmt::format("\n{} of {} points", rows, points.size());
  return text;
}

}  // namespace

Section trace_findings(const std::string& path) {
  const Trace trace = read_trace(path);
  const Json& points = trace.points;
  DiagnosisLine f{"exponents", {{"points", points}}, {}, kNormalExponents};
  if (points.empty()) {
    f.text = path + ": " + nothing_in(trace);
    return {"trace", "Trace", {f}};
  }
  const auto within = [](const Json& p) { return p["within"].get<double>(); };
  f.text = fmt::format(
      "base-2 exponents of weights in the course of training: {:.4g}% within 51 of the largest at "
      "the end",
      100 * within(points.back()));
  const auto first =
      std::find_if(points.begin(), points.end(), [&](const Json& p) { return within(p) < kMost; });
  if (first != points.end()) {
    f.value["apart_from"] = (*first)["examples"];
    f.text += fmt::format(", first below {:g}% at example {}", 100 * kMost,
                          (*first)["examples"].get<std::uint64_t>());
    f.advice = kAdviceOnExponents;
  }
  f.text += "\n" + table_of(points);
  return {"trace", "Trace", {f}};
}

}  // namespace thresh
