// What `thresh train` tells at the end of a run.

#include <fmt/format.h>

#include <algorithm>

#include "ranks.hpp"
#include "select.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {
namespace {

void print_trace_table(const std::vector<TracePoint>& trace, ErrorKind kind) {
  const bool values = kind != ErrorKind::share;
  std::string text =
      fmt::format("{:>9} {:>10} {:>12} {:>12} {:>12}\n", "density", "non-zeros", "examples",
                  fmt::format("train {}", name_of(kind)), fmt::format("valid {}", name_of(kind)));
  const auto shown = [&](double error) {
    return values ? fmt::format("{:.6g}", error) : percent(error);
  };
  for (const TracePoint& point : trace) {
    text += fmt::format("{:>9} {:>10} {:>12} {:>12} {:>12}\n", percent(point.at.density()),
                        point.at.nonzeros, point.at.examples, shown(*point.train_error),
                        point.valid_error ? shown(*point.valid_error) : "-");
  }
  print(text);
}

// What travelled between ranks during the command, of this rank.
Json traffic_json(const FitResult& result) {
  const Comm::Traffic& traffic = ranks->traffic();
  const auto rows = static_cast<double>(std::max<std::uint64_t>(1, result.last.at.examples));
  Json json = Json::object();
  json["ranks"] = ranks->size();
  json["exchanges"] = traffic.exchanges;
  json["messages"] = traffic.messages;
  json["bytes_per_row"] = static_cast<double>(traffic.bytes) / rows;
  json["waiting_seconds"] = traffic.waiting;
  json["waiting_share"] = traffic.waiting / seconds_since_join();
  return json;
}

}  // namespace

void report_run(const TrainCommand& c, const FitResult& result, const std::string& path) {
  const Progress& at = result.last.at;
  const std::uint64_t bad_rows = result.bad_rows;
  if (c.out.json) {
    Json json = Json::object();
    json["model"] = path;
    json.update(Json(result.model.summary));
    json["seconds"] = at.seconds;
    json["objective"] = or_null(result.last.objective);
    json["train_error"] = or_null(result.last.train_error);
    json["bad_rows"] = bad_rows;
    json["options"] = result.model.options;
    if (ranks != nullptr) json["ranks"] = traffic_json(result);
    json.update(threshold_json(result.model));
    if (result.model.certificate) json["certificate"] = *result.model.certificate;
    json["trace"] = Json::array();
    for (const TracePoint& point : result.trace) {
      json["trace"].push_back(trace_record(point));
    }
    print_json(json);
    return;
  }
  if (c.out.quiet) return;
  const ErrorKind kind = error_kind(c.options);
  if (!result.trace.empty()) print_trace_table(result.trace, kind);
  std::string text = fmt::format(
      "{}: {} ({})\n"
      "{} seen {} (passes {}, updates {}), {:.2f} s\n",
      result.model.solver, name_of(result.status.outcome), result.status.reason,
      solver_named(result.model.solver).counts, thousands(at.examples), at.pass,
      thousands(at.updates), at.seconds);
  if (bad_rows > 0) text += skipped(bad_rows) + "\n";
  if (result.last.valid_error) {
    text += result.model.task == Task::regression
                ? fmt::format("validation {} {:.6g}\n", name_of(kind), *result.last.valid_error)
                : fmt::format("validation error {}\n", percent(*result.last.valid_error));
  }
  for (const Finding& finding : result.theory) {
    text += finding.value
                ? fmt::format("{}: {:.6g} ({})\n", finding.name, *finding.value, finding.note)
                : fmt::format("{}: {}\n", finding.name, finding.note);
  }
  text += threshold_line(result.model);
  if (result.model.certificate) {
    for (const std::string& line : certificate_lines(result.model)) text += line + "\n";
  }
  text += fmt::format("model: {} ({} of {} {}, {})\n", path, thousands(at.nonzeros),
                      thousands(at.dimension),
                      result.model.classes.empty() ? "features" : "weights", percent(at.density()));
  print(text);
}

void tell_end(const FitResult& result, const std::string& path, const std::string& uncertified) {
  if (tell_stop(result, path, uncertified.empty() ? "" : ", without a certificate")) return;
  if (!uncertified.empty()) {  // the work is not lost, but this is not what was asked for
    throw Error(fmt::format("{}: no certificate: {}; the model was written without one", path,
                            uncertified));
  }
}

}  // namespace thresh::cli
