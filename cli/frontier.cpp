// thresh frontier DATA: the error for every number of features, of any solvers.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "checkpoint.hpp"
#include "ranks.hpp"
#include "select.hpp"
#include "thresh/certificate.hpp"
#include "thresh/certified_frontier.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh::cli {
namespace {

struct FrontierCommand : TrainCommand {
  std::string budgets, test;
  std::vector<std::string> solver_names = {"budget"};
  std::uint64_t splits = 1;
};

struct TestError {
  double error;
  std::optional<std::uint64_t> rows;  // that it is a share of, if it is one
};

TestError test_error(const FrontierCommand& c, const Model& model) {
  const Predictor predictor(model);
  const ReadOptions read = finish(c.read, model);
  const auto metrics = evaluate(model, predictor, open_rows(c.test, read, predictor.features()));
  return std::visit(
      [](const auto& m) -> TestError {
        if constexpr (requires { m.rmse; }) {
          return {m.deviance.value_or(m.huber.value_or(m.pinball.value_or(m.rmse))), std::nullopt};
        } else {
          return {m.error, m.rows};
        }
      },
      metrics);
}

// Whether it can be read shows here.
void open_test(const FrontierCommand& c, const Problem& problem) {
  ReadOptions read = finish(c.read);
  read.format = problem.format;
  read.vocabulary = problem.vocabulary;
  open_rows(c.test, read, make_feature_map());
}

// What all splits together say of a budget.
struct Summary {
  std::uint64_t budget = 0;
  std::vector<double> valid, loss, test, nonzeros;
  std::optional<double> row_se;  // of a single split, from row to row
  std::optional<std::uint64_t> test_rows;
  std::optional<CertifiedSize> certified;

  Estimate valid_error() const {
    Estimate error = estimate_of(valid);
    if (!error.se) error.se = row_se;
    return error;
  }
  // How splits vary says nothing of the test rows, which are the same for all of them.
  Estimate test_error() const {
    Estimate error = estimate_of(test);
    if (!test_rows) return {error.mean, std::nullopt};
    const double of_rows = error.mean * (1 - error.mean) / static_cast<double>(*test_rows);
    const double of_splits = error.se.value_or(0);
    return {error.mean, std::sqrt(of_rows + of_splits * of_splits)};
  }
};

struct Curve {
  std::string solver;
  double seconds = 0;
  std::vector<Summary> points;
  std::string failure;  // of a split: then there are no points
  std::vector<std::string> warnings;
  std::optional<double> ridge;  // of the certified objective
};

void add_split(const FrontierCommand& c, const Frontier& frontier, Curve& curve) {
  curve.solver = frontier.solver;
  curve.seconds += frontier.seconds;
  add_warnings(curve.warnings, frontier.warnings);
  if (curve.failure.empty()) curve.failure = frontier.failure;
  if (!curve.failure.empty()) return curve.points.clear();
  curve.points.resize(frontier.points.size());
  for (std::size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierPoint& point = frontier.points[i];
    Summary& summary = curve.points[i];
    summary.budget = point.budget;
    summary.valid.push_back(*point.last.valid_error);
    summary.loss.push_back(*point.last.valid_loss);
    summary.nonzeros.push_back(static_cast<double>(point.last.at.nonzeros));
    summary.row_se = point.last.valid_error_se;
    if (c.test.empty()) continue;
    const TestError test = test_error(c, point.model);
    summary.test.push_back(test.error);
    summary.test_rows = test.rows;
  }
}

Json to_json(const Summary& point) {
  Json json = Json::object();
  json["features"] = point.budget;
  json["nonzeros"] = estimate_of(point.nonzeros).mean;
  const Estimate valid = point.valid_error();
  json["valid_error"] = valid.mean;
  json["valid_error_se"] = or_null(valid.se);
  json["valid_loss"] = estimate_of(point.loss).mean;
  if (!point.test.empty()) {
    const Estimate test = point.test_error();
    json["test_error"] = test.mean;
    json["test_error_se"] = or_null(test.se);
  }
  if (point.certified) {
    json["objective"] = point.certified->objective;
    json["bound"] = point.certified->bound;
  }
  return json;
}

void report_json(const FrontierCommand& c, const std::vector<Curve>& curves) {
  Json json = Json::object();
  json["data"] = c.data;
  json["splits"] = c.splits;
  add_scale(c, json);
  json["solvers"] = Json::array();
  for (const Curve& curve : curves) {
    Json& entry = json["solvers"].emplace_back(Json::object());
    entry["solver"] = curve.solver;
    entry["seconds"] = curve.seconds;
    if (!curve.failure.empty()) entry["failure"] = curve.failure;
    if (!curve.warnings.empty()) entry["warnings"] = curve.warnings;
    if (curve.ridge) entry["ridge"] = *curve.ridge;
    entry["points"] = Json::array();
    for (const Summary& point : curve.points) entry["points"].push_back(to_json(point));
  }
  print_json(json);
}

void report(const FrontierCommand& c, const std::vector<Curve>& curves, const Options& options) {
  const Task task = options.task;
  const std::string error = name_of(error_kind(options));
  for (const Curve& curve : curves) {
    if (!curve.failure.empty()) {
      print(fmt::format("{}: {}\n", curve.solver, curve.failure));
      continue;
    }
    std::vector<BarRow> bars;
    for (const Summary& p : curve.points) {
      const Estimate valid = p.valid_error();
      std::vector<std::string> cells = {
          thousands(p.budget), fmt::format("{:.0f}", estimate_of(p.nonzeros).mean),
          shown_error(valid, task), fmt::format("{:.4g}", estimate_of(p.loss).mean)};
      if (!p.test.empty()) cells.push_back(shown_error(p.test_error(), task));
      if (curve.ridge) {
        cells.push_back(p.certified ? fmt::format("{:.4g}", p.certified->objective) : "");
        cells.push_back(p.certified ? fmt::format("{:.4g}", p.certified->bound) : "");
      }
      bars.push_back({std::move(cells), valid.mean, ""});
    }
    std::vector<std::string> heading = {"budget", "non-zeros", "valid " + error, "valid loss"};
    if (!c.test.empty()) heading.push_back("test " + error);
    if (curve.ridge) heading.insert(heading.end(), {"objective", "no choice below"});
    print(fmt::format("{}, {:.2f} s of learning\n{}", curve.solver, curve.seconds,
                      bar_table(heading, bars)));
    if (!curve.ridge) continue;
    print(
        fmt::format("objective: mean loss + {:.6g}/2 sum_j s_j w_j^2 on all training rows; s_j "
                    "is the size of feature j\n",
                    *curve.ridge));
  }
}

// The objective of each size and its proved bound, beside the errors.
void add_bounds(const FrontierCommand& c, const Problem& problem, const Options& options,
                const Frontier& frontier, Curve& curve) {
  if (!frontier.failure.empty()) return;
  SelectMeter meter("certifying", c.out.quiet);
  const std::size_t sizes = frontier.points.size();
  const CertifiedFrontier found =
      certify_frontier(problem, options, frontier, [&](std::size_t done) {
        meter.on_progress({done, sizes, static_cast<double>(done) / static_cast<double>(sizes)});
      });
  meter.clear();
  curve.ridge = found.ridge;
  add_warnings(curve.warnings, found.warnings);
  for (Summary& point : curve.points) {
    for (const CertifiedSize& size : found.sizes) {
      if (size.budget == point.budget) point.certified = size;
    }
  }
}

// Before the learning: of the solvers, only budget has such a bound.
void check_certified(const FrontierCommand& c, const std::vector<Options>& solvers) {
  if (!c.certify) return;
  const auto budget = std::find_if(solvers.begin(), solvers.end(),
                                   [](const Options& each) { return each.solver == "budget"; });
  if (budget == solvers.end()) throw UsageError("--certify requires the solver budget");
  if (c.read.scale != "auto" && c.read.scale != "none") {
    throw UsageError("--certify does not support --scale");
  }
  Options options = *budget;
  set_certify(c, options);
  check_certifiable(options);
}

// The points as JSON lines, for a report.
void write_trace(const FrontierCommand& c, const std::vector<Curve>& curves) {
  std::string lines;
  for (const Curve& curve : curves) {
    for (const Summary& point : curve.points) {
      Json json = Json::object();
      json["solver"] = curve.solver;
      json.update(to_json(point));
      lines += json_text(json, -1);
    }
  }
  write_file(c.trace_file, lines);
}

void frontier(FrontierCommand& c) {
  std::vector<Options> solvers;
  for (const std::string& name : c.solver_names) {
    c.options.solver = name;
    solvers.push_back(training_options(c));
    Options& options = solvers.back();
    hold_out_the_usual(c, options);
    options.trace.reset();
  }
  if (!c.prove.empty()) c.certify = true;
  check_certified(c, solvers);
  if (c.splits == 0) throw UsageError("--splits must be at least 1");
  if (c.splits > 1 && !c.valid.empty())
    throw UsageError("--splits draws its own validation rows; leave out --valid");
  if (c.test == "-")
    throw UsageError("--test is read once for each model; give a file, not a pipe");
  std::vector<NamedFile> inputs = inputs_of(c);
  inputs.push_back({"test data", c.test});
  check_outputs({{"trace", c.trace_file}}, inputs);
  const Problem problem = open_data(c);
  // Whether it can be read shows now, and not after the learning.
  if (!c.test.empty()) open_test(c, problem);
  const std::vector<std::uint64_t> budgets =
      c.budgets.empty() ? usual_budgets_for(problem, solvers.front())
                        : parse_budgets(c.budgets, largest_budget(problem, solvers.front()));
  std::vector<Curve> curves(solvers.size());
  for (std::uint64_t split = 0; split < c.splits; ++split) {
    SelectMeter meter(
        c.splits > 1 ? fmt::format("split {} of {}", split + 1, c.splits) : "learning",
        c.out.quiet);
    const auto frontiers = learn_frontiers(problem, solvers, budgets, meter);
    meter.clear();
    for (std::size_t i = 0; i < frontiers.size() && writes_outputs(); ++i) {
      add_split(c, frontiers[i], curves[i]);
      if (!c.certify || split > 0 || solvers[i].solver != "budget") continue;
      Options options = solvers[i];
      set_certify(c, options);
      add_bounds(c, problem, options, frontiers[i], curves[i]);
    }
    for (Options& options : solvers) ++options.seed;
  }
  if (!writes_outputs()) return;
  for (const Curve& curve : curves) tell_warnings(curve.warnings, curve.solver);
  const auto failed = [](const Curve& curve) { return !curve.failure.empty(); };
  if (std::all_of(curves.begin(), curves.end(), failed)) {
    throw Error(fmt::format("{}: {}", curves.front().solver, curves.front().failure));
  }
  if (!c.trace_file.empty()) write_trace(c, curves);
  if (c.out.json) return report_json(c, curves);
  if (!c.out.quiet) report(c, curves, solvers.front());
}

}  // namespace

void add_frontier(CLI::App& app) {
  auto c = std::make_shared<FrontierCommand>();
  CLI::App& command =
      *app.add_subcommand("frontier", "Show the error for every number of features");
  add_file(command, "data", c->data, "Rows (see --format), plain, gzip, zstd or xz; - for stdin");
  add_train_options(command, *c);
  drop_options(command, {"--from", "--trace-at", "--calibrate", "--solver", "--features",
                         "--density", "--names"});
  add_certify_options(command, *c,
                      "Beside each size, the objective on all training rows and a proved bound: no "
                      "choice of that many features has a lower one (solver budget)");
  command.add_option("--solvers", c->solver_names, "Solvers to compare, A,B,C")
      ->delimiter(',')
      ->capture_default_str()
      ->group("Frontier");
  command
      .add_option("--budgets", c->budgets,
                  "Numbers of features, or shares: 10,100,2%; default: 10, 20, 50, ... all")
      ->group("Frontier");
  add_file(command, "--test", c->test, "Also report the error on this file")->group("Frontier");
  add_count(command, "--splits", c->splits,
            "Average over this many splits, each with other held-out rows")
      ->capture_default_str()
      ->group("Frontier");
  command.footer(
      "Examples:\n"
      "  thresh frontier rcv1.svm --test rcv1.test.svm\n"
      "  thresh frontier rcv1.svm --budgets 20,100 --certify\n"
      "  thresh frontier rcv1.svm --budgets 0.1%,1%,10% --solvers budget,ftrl,l0-sgd --splits 5\n"
      "Without --valid or --holdout, 20% of the rows are held out. A budget is an upper limit:\n"
      "where a smaller model has a lower loss on the held-out rows, it is the one shown.");
  command.callback([c] {
    begin_checkpoint(*c);
    if (c->saved) c->saved->watch(c->test);
    frontier(*c);
    end_checkpoint(*c);
  });
}

}  // namespace thresh::cli
