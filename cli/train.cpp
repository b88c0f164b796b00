// thresh train DATA [-o MODEL]: learn a sparse model.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "checkpoint.hpp"
#include "ranks.hpp"
#include "select.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {
namespace {

class Watcher : public TrainProgress {
 public:
  Watcher(bool quiet, std::uint64_t passes, const std::string& trace_file)
      : TrainProgress(quiet, passes) {
    if (!trace_file.empty()) file_.emplace(trace_file, LogFile::Start::empty);
  }
  void on_trace(const TracePoint& point) override {
    if (!file_) return;
    file_->write(trace_json(point) + "\n");
    file_->flush();
  }
  // Until then a failing run brings back the trace that it replaced.
  void keep_trace() {
    if (file_) file_->keep();
  }

 private:
  std::optional<LogFile> file_;
};

void print_trace_table(const std::vector<TracePoint>& trace, Task task) {
  const bool values = task == Task::regression;
  std::string text =
      fmt::format("{:>9} {:>10} {:>12} {:>12} {:>12}\n", "density", "non-zeros", "examples",
                  values ? "train RMSE" : "train error", values ? "valid RMSE" : "valid error");
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
  if (!result.trace.empty()) print_trace_table(result.trace, result.model.task);
  std::string text = fmt::format(
      "{}: {} ({})\n"
      "{} seen {} (passes {}, updates {}), {:.2f} s\n",
      result.model.solver, name_of(result.status.outcome), result.status.reason,
      solver_named(result.model.solver).counts, thousands(at.examples), at.pass,
      thousands(at.updates), at.seconds);
  if (bad_rows > 0) text += skipped(bad_rows) + "\n";
  if (result.last.valid_error) {
    text += result.model.task == Task::regression
                ? fmt::format("validation RMSE {:.6g}\n", *result.last.valid_error)
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

namespace {

// Whether models are compared on held-out rows before the last run, see thresh::train().
bool compares_models(const TrainCommand& c) {
  if (!solver_named(c.options.solver).many_sizes) return false;
  if (!c.options.features && !c.options.density) return true;
  if (!single_run_option(c).empty()) return false;
  if (!c.valid.empty() || c.options.holdout > 0) return true;
  return c.max_error.empty() && has_settings_to_choose(training_options(c));
}

void check_certify(const TrainCommand& c) {
  if (!c.certify && c.given("--delta") && c.options.solver != "scd") {
    throw UsageError("--delta requires --certify or --solver scd");
  }
  if (!(c.delta > 0 && c.delta < 1)) throw UsageError("--delta must be between 0 and 1");
  if (c.given("--prove-time") && c.prove.empty()) throw UsageError("--prove-time requires --prove");
  if (!c.certify) return;
  if (c.read.scale != "auto" && c.read.scale != "none") {
    throw UsageError(
        "--certify does not support --scale: the certificate would be about scaled rows");
  }
  Options options = training_options(c);
  set_certify(c, options);
  const bool keyed = !c.read.options.table.group.empty() || !c.read.options.table.time.empty();
  if (keyed && options.holdout > 0) {
    throw UsageError("--certify with --holdout does not support --group and --time");
  }
  check_certifiable(options);
  const bool has_ridge = options.solver_options.contains("ridge");
  const std::string single = single_run_option(c);
  if (solver_named(options.solver).many_sizes && !has_ridge && !single.empty()) {
    throw UsageError(fmt::format("--certify with {} requires --ridge", single));
  }
  if (!options.threshold_by.empty() && has_bound(options)) {
    throw UsageError("--certify does not support --threshold-by: its bound is about margin 0");
  }
  if (c.given("--delta") && !has_bound(options)) {
    throw UsageError("--delta does not apply: the certificate of " + options.solver +
                     " is not probabilistic");
  }
}

}  // namespace

void add_certify_options(CLI::App& command, TrainCommand& c, const char* certify) {
  command.add_flag("--certify", c.certify, certify)->group("Learning");
  command
      .add_option(
          "--prove", c.prove,
          "Solver budget: like --certify, then branch and bound until no other choice of as "
          "many features can lower the training objective by more than this share, e.g. 1%")
      ->group("Learning");
  command
      .add_option("--prove-time", c.prove_time,
                  "Time for --prove, e.g. 30s, 10m or 2h; after it, what is proved so far counts")
      ->capture_default_str()
      ->group("Learning");
}

void set_certify(const TrainCommand& c, Options& options) {
  options.certify = c.certify;
  if (c.prove.empty()) return;
  options.prove = parse_percent("--prove", c.prove);
  options.prove_seconds = parse_seconds("--prove-time", c.prove_time);
  if (options.prove == 0) throw UsageError("--prove must be at least 0.01% and below 100%");
}

std::string add_certificate(const TrainCommand& c, const Problem& problem, FitResult& result) {
  if (!c.certify) return "";
  // A proof that was interrupted is a weaker one, but one.
  const bool has_proof = result.dual_point && !result.dual_point->proofs.empty();
  if (result.status.outcome == Outcome::stopped && !has_proof) return "interrupted";
  if (!result.divergences.empty()) return "the run diverged and was rolled back";
  ReadMeter meter("certifying " + c.data, c.out.quiet);
  Problem rows = problem;
  if (has_proof) rows.train = retained(rows.train, c.options.memory);  // many passes
  if (!has_proof || !stop_requested) rows.train = metered(rows.train, meter);
  try {
    result.model.certificate = certify(result.model, rows,
                                       {result.compression_sets, !c.from.empty(), c.delta,
                                        c.options.weights_file, result.dual_point});
  } catch (const Interrupted&) {  // the model is whole all the same
    return "interrupted";
  } catch (const std::exception& error) {  // for want of memory, too
    return error.what();
  }
  return "";
}

void tell_end(const FitResult& result, const std::string& path, const std::string& uncertified) {
  if (tell_stop(result, path, uncertified.empty() ? "" : ", without a certificate")) return;
  if (!uncertified.empty()) {  // the work is not lost, but this is not what was asked for
    throw Error(fmt::format("{}: no certificate: {}; the model was written without one", path,
                            uncertified));
  }
}

namespace {

// The options of the learner to go on with are those of its state.
void take_state(TrainCommand& c) {
  if (c.from.empty() || !Checkpoint::is_one(c.from)) return;
  c.state = LearnerState::load(c.from);
  std::vector<std::string> given;
  for (const OptionInfo& option : shared_options()) {
    const bool has = c.given("--" + option.name) || c.given("--no-" + option.name) ||
                     (!option.alias.empty() && c.given("--" + option.alias));
    if (has) given.push_back(option.name);
  }
  c.options = c.state->options_with(c.options, given);
  c.options.from_state = c.read.options.from_state = c.state.get();
}

// The file for the state at the end, before all work: it must not be lost then.
std::optional<Checkpoint> begin_state(TrainCommand& c, const std::string& model) {
  if (c.save_state.empty()) return std::nullopt;
  check_outputs({{"model", model}, {"trace", c.trace_file}, {"state", c.save_state}}, inputs_of(c));
  check_outputs({{"state", c.save_state}}, {{"checkpoint", c.checkpoint}});
  if (c.saved) check_outputs({{"state", c.save_state}}, {{"state to go on from", c.from}});
  check_writable(c.save_state);
  return std::optional<Checkpoint>(std::in_place, c.save_state, 0.0,
                                   c.saved ? c.saved->command() : arguments);
}

// Opens the rows, on several ranks those parts of them that are this rank's.
Problem open_rows_of(const TrainCommand& c, const ReadOptions& read, const Options& options) {
  if (ranks == nullptr) return open_problem(c.data, c.valid, read);
  const double slices = parse_real("--slices", options.solver_options.at("slices"));
  if (!(slices >= 1 && slices <= 65536)) throw UsageError("--slices must be between 1 and 65536");
  ReadOptions shared = read;
  if (read.cache != ReadOptions::Cache::none) shared.cache = ReadOptions::Cache::existing;
  return open_share(c.data, c.valid, shared, static_cast<std::uint64_t>(slices), *ranks);
}

// What a launcher started sums margins by slices, also alone, so that all numbers of ranks give the
// same model.
void take_slices(TrainCommand& c) {
  const std::vector<OptionInfo>& own = solver_named(c.options.solver).options;
  const bool can = std::any_of(own.begin(), own.end(),
                               [](const OptionInfo& option) { return option.name == "slices"; });
  if (!started_by_launcher() || (ranks == nullptr && !can)) return;
  c.options.solver_options.try_emplace("slices", std::to_string(kUsualSlices));
  if (ranks == nullptr) return;
  for (const char* name : {"--from", "--certify", "--checkpoint", "--save-state", "--cache"}) {
    if (c.given(name)) {
      throw UsageError(fmt::format("{} does not support several ranks yet", name));
    }
  }
  if (!writes_outputs()) c.out = {.json = false, .quiet = true};
}

void take_data(TrainCommand& c) {
  if (c.vw_data.empty()) return;
  if (!c.data.empty()) {
    throw UsageError(fmt::format("one file to learn from, not {} and -d {}", c.data, c.vw_data));
  }
  c.data = c.vw_data;
}

void train(TrainCommand& c) {
  if (c.data.empty()) throw UsageError("data is required");
  if (!c.prove.empty()) c.certify = true;
  take_slices(c);
  c.options.save_state = !c.save_state.empty();
  check_certify(c);
  if (compares_models(c)) {
    if (!c.options.save_state) return train_by_choice(c);
    throw UsageError(
        "--save-state: budget must know the number of rows, so it cannot go on with new ones; "
        "choose another --solver");
  }
  if (!c.max_error.empty()) {
    throw UsageError("--max-error requires the solver budget without --features or --density");
  }
  Options options = finish_options(c);
  set_certify(c, options);
  if (c.given("--delta") && !c.certify) options.delta = c.delta;
  const std::string path = writes_outputs() ? model_path(c) : "";
  std::optional<Checkpoint> state_file = begin_state(c, path);
  std::optional<Model> start;
  if (!c.from.empty() && !c.state) start = Model::load(c.from);

  ReadOptions read = finish(c.read);
  if (start && start->format != Format::libsvm) {
    read.vocabulary = vocabulary_of(*start);
    if (read.hash_bits > 0 && read.hash_bits != start->reading.value("hash_bits", 0).count()) {
      throw UsageError(
          fmt::format("{} was not learned with --hash-bits {}", c.from, read.hash_bits));
    }
  }
  const bool scales = read.scale != FeatureScale::automatic && read.scale != FeatureScale::none;
  read.once = !is_plain_file(c.data) && one_look_is_enough(options) && !c.certify && !scales;
  const bool draws = options.order == Order::replacement;
  const bool reads_again =
      options.passes != 1 || options.trace || options.holdout > 0 || c.certify || scales || draws;
  if (!reads_again && !c.read.cache && !c.read.no_cache) {
    read.cache = ReadOptions::Cache::existing;
  }
  // Drawn rows must be at hand. Rows in memory take more bytes than their text, compressed text far
  // more.
  if (draws && !c.read.no_cache && is_plain_file(c.data) &&
      std::filesystem::file_size(c.data) > options.memory / 16) {
    read.cache = ReadOptions::Cache::always;
  }
  // Training has its own progress; this one is for what comes before it.
  ReadMeter meter("reading " + c.data, c.out.quiet);
  if (!read.once) read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const Problem problem = open_rows_of(c, read, options);
  meter.clear();
  tell_reading(c, problem);
  check_names(c, problem);
  if (c.certify) check_certifiable(options, *problem.train);

  Watcher watcher(c.out.quiet, options.steps ? 0 : options.passes, c.trace_file);
  FitResult result = fit(problem, options, start ? &*start : nullptr, &watcher);
  watcher.clear();
  check_stopped(c, result);
  watcher.keep_trace();
  if (result.status.outcome == Outcome::diverged) {
    throw Error(fmt::format("{}: training diverged: {}; no model was written",
                            problem.train->name(), result.status.reason));
  }
  const std::string uncertified = add_certificate(c, problem, result);
  if (!writes_outputs()) return;
  if (!c.names.empty()) attach_names(c.names, result.model);
  save_model(c, result.model, path);
  if (result.state) result.state->save(*state_file);
  report_run(c, result, path);
  tell_end(result, path, uncertified);
}

}  // namespace

void add_train(CLI::App& app) {
  auto c = std::make_shared<TrainCommand>();
  CLI::App& command = *app.add_subcommand("train", "Learn a sparse model");
  add_file(command, "data", c->data, "Rows (see --format), plain, gzip, zstd or xz; - for stdin");
  add_file(command, "-d", c->vw_data, "Same as DATA, in the spelling of Vowpal Wabbit");
  add_file(command, "-o,-f,--output", c->output,
           "Output file for the model; default: DATA.thresh in the current folder");
  add_train_options(command, *c);
  command
      .add_option("--max-error", c->max_error,
                  "Without --features or --density: choose the smallest model with at most this "
                  "validation error, e.g. 5%")
      ->group("Learning");
  command
      .add_option("--by", c->by,
                  "Choose the size by the error on held-out rows (regression: the mean absolute "
                  "residual), by their loss, or by both; by AUC or F1 (two classes); by RMSE "
                  "(regression)")
      ->check(CLI::IsMember({"both", "error", "loss", "auc", "f1", "rmse"}))
      ->group("Learning");
  command
      .add_option("--threshold-by", c->options.threshold_by,
                  "Two classes: choose on the held-out rows the margin above which the positive "
                  "one is predicted, by f1, cost=M:F or recall=R as in `thresh threshold`, and "
                  "store it in the model")
      ->group("Learning");
  add_file(command, "--save-state", c->save_state,
           "Save the state of the learner at the end, too: `thresh train --from FILE NEW` goes on "
           "with new rows as if there had been one run")
      ->group("Learning");
  add_certify_options(command, *c,
                      "Store in the model a certificate of what can be proved about it, see "
                      "`thresh verify`");
  command
      .add_option("--delta", c->delta,
                  "With --certify: the probability that its bound may fail. scd without --certify: "
                  "keep the best of log2(1/DELTA) runs, with a bound that may fail with this "
                  "probability")
      ->capture_default_str()
      ->group("Learning");
  command.footer(
      "Examples:\n"
      "  thresh train rcv1.svm.xz\n"
      "  thresh train rcv1.svm.xz --features 500 --holdout 10%\n"
      "  thresh train rcv1.svm.xz --features 500 --certify   # how much better could others be?\n"
      "  zcat big.svm.gz | thresh train - -o big.thresh --density 1% --passes 3\n"
      "  thresh train a.svm --valid b.svm --trace a.jsonl --trace-at densities\n"
      "  thresh train day1.svm --solver ftrl --passes 1 --order sequential --save-state "
      "day1.state\n"
      "  thresh train day2.svm --from day1.state --save-state day2.state\n"
      "A solver makes --passes passes, or fewer: margin-perceptron stops when it reaches the "
      "feature\n"
      "budget or a pass changes nothing, gcd when no step helps, l1 when its duality gap is small\n"
      "enough. A diverging run continues with smaller steps, see --on-divergence. The default "
      "--eta is\n"
      "reduced if it is too large for the data.\n"
      "Ctrl-C saves the model so far, unless models are still being compared.");
  command.callback([c] {
    take_data(*c);
    take_state(*c);
    begin_checkpoint(*c);
    train(*c);
    end_checkpoint(*c);
  });
}

}  // namespace thresh::cli
