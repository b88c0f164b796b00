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

// Whether models are compared on held-out rows before the last run, see thresh::train().
bool compares_models(const TrainCommand& c) {
  if (!solver_named(c.options.solver).many_sizes) return false;
  if (!c.options.features && !c.options.density) return true;
  if (!single_run_option(c).empty()) return false;
  if (!c.valid.empty() || c.options.holdout > 0) return true;
  return c.max_error.empty() && has_settings_to_choose(training_options(c));
}

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

void refuse_on_ranks(const TrainCommand& c, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (c.given(name)) {
      throw UsageError(fmt::format("{} does not support several ranks yet", name));
    }
  }
}

// A search is not divided by features. But ranks share its runs.
void share_runs(const TrainCommand& c) {
  refuse_on_ranks(c, {"--from", "--save-state", "--cache"});
  if (!c.out.quiet) {
    say("{} ranks share the runs; each of them holds all rows\n", ranks->size());
  }
}

// What a launcher started sums margins by slices, also alone, so that all numbers of ranks give the
// same model.
void take_slices(TrainCommand& c) {
  const SolverInfo& info = solver_named(c.options.solver);
  const bool can = std::any_of(info.options.begin(), info.options.end(),
                               [](const OptionInfo& option) { return option.name == "slices"; });
  if (!started_by_launcher() || (ranks == nullptr && !can)) return;
  if (ranks != nullptr && !writes_outputs()) c.out = {.json = false, .quiet = true};
  if (info.many_sizes && !c.given("--slices") && compares_models(c)) {
    if (ranks != nullptr) share_runs(c);
    return;
  }
  if (resumed && can && !c.given("--slices")) {
    if (ranks == nullptr) return;
    throw UsageError(
        fmt::format("{}: a run without --slices can go on in one process only", resumed->path()));
  }
  const std::uint64_t cached = slices_of_cache(c.data);
  const std::string& slices =
      c.options.solver_options
          .try_emplace("slices", std::to_string(cached > 0 ? cached : kUsualSlices))
          .first->second;
  if (cached > 0 && slices != std::to_string(cached)) {
    throw UsageError(
        fmt::format("{}: the cache was made with --slices {}, not {}", c.data, cached, slices));
  }
  if (ranks == nullptr) return;
  refuse_on_ranks(c, {"--save-state", "--cache"});
  if (c.state) throw UsageError("--from STATE does not support several ranks yet");
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
  if (!c.from.empty() && !c.state) {
    start = Model::load(c.from);
    if (ranks != nullptr) check_same_file(c.from, *ranks);
  }

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
  const Problem problem =
      ranks != nullptr ? open_share_of(c, read) : open_problem(c.data, c.valid, read);
  meter.clear();
  tell_reading(c, problem);
  check_names(c, problem);
  if (c.certify) check_certifiable(options, *problem.train);

  Watcher watcher(c.out.quiet, options.steps ? 0 : options.passes,
                  writes_outputs() ? c.trace_file : "");
  FitResult result = fit(problem, options, start ? &*start : nullptr, &watcher);
  watcher.clear();
  check_stopped(c, result);
  watcher.keep_trace();
  if (result.status.outcome == Outcome::diverged) {
    throw Error(fmt::format("{}: training diverged: {}; no model was written",
                            problem.train->name(), result.status.reason));
  }
  // A certificate is about whole rows, which rank 0 reads while the others wait.
  if (c.certify && ranks != nullptr) ranks->be_patient();
  if (!writes_outputs()) return;
  const bool divided = c.certify && ranks != nullptr;
  const std::string uncertified =
      add_certificate(c, divided ? open_problem(c.data, c.valid, read) : problem, result);
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
      .add_option(
          "--max-error", c->max_error,
          "Without --features or --density: choose the smallest model with at most this "
          "validation error, e.g. 5%; for regression an RMSE or, with --loss poisson, huber "
          "or quantile, a mean deviance or loss")
      ->group("Learning");
  command
      .add_option("--by", c->by,
                  "Choose the size by the error on held-out rows (regression: the mean absolute "
                  "residual), or by their loss; by AUC or F1 (two classes); by RMSE (regression). "
                  "both: by the curve of losses over all sizes (regression: of residuals)")
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
    take_slices(*c);
    begin_checkpoint(*c);
    train(*c);
    end_checkpoint(*c);
  });
}

}  // namespace thresh::cli
