// thresh train DATA [-o MODEL]: learn a sparse model.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "common.hpp"
#include "data/bytes.hpp"
#include "model/names.hpp"
#include "progress.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/thresh.hpp"
#include "train/record.hpp"

namespace thresh::cli {
namespace {

struct TrainCommand {
  std::string data, output, valid, from, names, trace_file, trace_at, class_weight = "none",
                                                                      multiclass = "ovr";
  std::string features, density, holdout, order = "shuffle", schedule, loss, eta = "0.1",
                                          task = "classification";
  Options options;
  ReadFlags read;
  OutputFlags out;
  std::map<std::string, std::string> own;  // every solver's own options, by name
};

// The trace file is a log, written line by line so that it can be followed while it grows.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    if (!file_) fail();
  }
  void write(const TracePoint& point) {
    const std::string line = trace_json(point) + "\n";
    if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) fail();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const {
    throw Error(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
  }
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

class Watcher : public TrainProgress {
 public:
  Watcher(bool quiet, std::uint64_t passes, const std::string& trace_file)
      : TrainProgress(quiet, passes),
        file_(trace_file.empty() ? nullptr : std::make_unique<TraceFile>(trace_file)) {}
  void on_trace(const TracePoint& point) override {
    if (file_) file_->write(point);
  }

 private:
  std::unique_ptr<TraceFile> file_;
};

TraceAt parse_trace_at(const std::string& text) {
  if (text == "passes" || text.empty()) return {TraceAt::Kind::passes};
  if (text == "densities") return {TraceAt::Kind::densities};
  char* end = nullptr;
  const unsigned long long every = std::strtoull(text.c_str(), &end, 10);
  if (*end != '\0' || every == 0 || text[0] == '-') {
    throw UsageError(fmt::format("--trace-at {}: use passes, densities or a number", text));
  }
  return {TraceAt::Kind::examples, every};
}

Options finish_options(const TrainCommand& c) {
  Options options = c.options;
  options.auto_eta = c.eta == "auto";
  if (!options.auto_eta) options.eta = parse_real("--eta", c.eta);
  options.order = c.order == "shuffle" ? Order::shuffle : Order::sequential;
  if (c.schedule == "constant") options.schedule = Schedule::constant;
  if (c.schedule == "sqrt") options.schedule = Schedule::sqrt;
  if (c.schedule == "inverse") options.schedule = Schedule::inverse;
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge}) {
    if (c.loss == name_of(loss)) options.loss = loss;
  }
  options.task = c.task == "regression" ? Task::regression : Task::classification;
  if (c.multiclass == "softmax") options.multiclass = Multiclass::softmax;
  options.balanced_classes = c.class_weight == "balanced";
  options.dim = c.read.options.dim;
  if (!c.density.empty()) options.density = parse_percent("--density", c.density);
  if (!c.holdout.empty()) options.holdout = parse_percent("--holdout", c.holdout);
  if (!c.trace_file.empty() || !c.trace_at.empty()) options.trace = parse_trace_at(c.trace_at);
  for (const auto& [name, value] : c.own) {
    if (!value.empty()) options.own[name] = value;
  }
  options.stop = &stop_requested;
  check_options(options);
  return options;
}

std::string default_model_path(const std::string& data) {
  return data == "-" ? "stdin.thresh" : std::filesystem::path(data).filename().string() + ".thresh";
}

void check_names(const TrainCommand& c, const Problem& problem) {
  if (c.names.empty()) return;
  const std::uint64_t names = count_names(c.names);
  const Survey* survey = problem.train->survey();
  if (survey != nullptr && names < survey->dimension) {
    throw Error(fmt::format("{}: {} names for {} features", c.names, names, survey->dimension));
  }
}

void print_trace_table(const std::vector<TracePoint>& trace) {
  std::string text = fmt::format("{:>9} {:>10} {:>12} {:>12} {:>12}\n", "density", "non-zeros",
                                 "examples", "train error", "valid error");
  for (const TracePoint& point : trace) {
    text += fmt::format("{:>9} {:>10} {:>12} {:>12} {:>12}\n", percent(point.at.density()),
                        point.at.nonzeros, point.at.examples, percent(*point.train_error),
                        point.valid_error ? percent(*point.valid_error) : "-");
  }
  print(text);
}

void report(const TrainCommand& c, const FitResult& result, const std::string& path) {
  const Progress& at = result.last.at;
  const std::uint64_t bad_rows = result.bad_rows;
  if (c.out.json) {
    Json json;
    json["model"] = path;
    json.update(Json::parse(result.model.summary));
    json["seconds"] = at.seconds;
    json["objective"] = or_null(result.last.objective);
    json["train_error"] = or_null(result.last.train_error);
    json["bad_rows"] = bad_rows;
    json["trace"] = Json::array();
    for (const TracePoint& point : result.trace) {
      json["trace"].push_back(Json::parse(trace_json(point)));
    }
    print_json(json);
    return;
  }
  if (c.out.quiet) return;
  if (!result.trace.empty()) print_trace_table(result.trace);
  std::string text = fmt::format(
      "{}: {} ({})\n"
      "rows seen {} (passes {}, updates {}), {:.2f} s\n",
      result.model.solver, name_of(result.status.outcome), result.status.reason,
      thousands(at.examples), at.pass, thousands(at.updates), at.seconds);
  if (bad_rows > 0) text += fmt::format("{} bad rows skipped\n", thousands(bad_rows));
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
  text += fmt::format("model: {} ({} of {} {}, {})\n", path, thousands(at.nonzeros),
                      thousands(at.dimension),
                      result.model.classes.empty() ? "features" : "weights", percent(at.density()));
  print(text);
}

void train(TrainCommand& c) {
  if (c.data.empty()) throw UsageError("data is required");
  const Options options = finish_options(c);
  const std::string path = c.output.empty() ? default_model_path(c.data) : c.output;
  std::optional<Model> start;
  if (!c.from.empty()) start = Model::load(c.from);

  ReadOptions read = finish(c.read);
  read.once = !is_plain_file(c.data) && one_look_is_enough(options);
  // Training has its own progress; this one is for what comes before it.
  ReadMeter meter("reading " + c.data, c.out.quiet);
  if (!read.once) read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const Problem problem = open_problem(c.data, c.valid, read);
  meter.clear();
  check_names(c, problem);

  Watcher watcher(c.out.quiet, options.steps ? 0 : options.passes, c.trace_file);
  FitResult result = fit(problem, options, start ? &*start : nullptr, &watcher);
  watcher.clear();
  if (result.status.outcome == Outcome::diverged) {
    throw Error(fmt::format("{}: training diverged: {}; no model was written",
                            problem.train->name(), result.status.reason));
  }
  if (!c.names.empty()) attach_names(c.names, result.model);
  result.model.save(path);
  report(c, result, path);
  if (result.status.outcome == Outcome::stopped) {
    fmt::print(stderr, "thresh: stopped; the model so far is in {}\n", path);
  }
}

// The options that solvers have for themselves. Several may share one; each has its own default.
void add_own_options(CLI::App& command, TrainCommand& c) {
  std::map<std::string, std::vector<std::string>> owners;
  for (const SolverInfo& solver : solvers()) {
    for (const OptionInfo& option : solver.options) owners[option.name].push_back(solver.name);
  }
  for (const SolverInfo& solver : solvers()) {
    for (const OptionInfo& option : solver.options) {
      if (c.own.contains(option.name)) continue;
      std::string& value = c.own[option.name];
      const std::string name = "--" + option.name;
      const std::string help =
          fmt::format("{} ({})", option.help, fmt::join(owners[option.name], ", "));
      CLI::Option* added = option.kind == OptionInfo::Kind::flag
                               ? command.add_flag_callback(
                                     name, [&value] { value = "true"; }, help)
                               : command.add_option(name, value, help);
      added->group("Options of single solvers");
    }
  }
}

void add_learning_options(CLI::App& command, TrainCommand& c) {
  command.add_option("--solver", c.options.solver, "The algorithm, see `thresh solvers`")
      ->capture_default_str()
      ->group("Learning");
  const auto number = [&](const char* name, auto& value, const char* help) {
    command.add_option(name, value, help)->capture_default_str()->group("Learning");
  };
  command.add_option("--eta", c.eta, "Step size: a number, or auto where the solver can choose")
      ->capture_default_str()
      ->group("Learning");
  command.add_option("--loss", c.loss, "logistic, squared, hinge or squared-hinge")
      ->check(CLI::IsMember({"logistic", "squared", "hinge", "squared-hinge"}))
      ->group("Learning");
  number("--lambda,--l1", c.options.lambda, "Soft threshold, the strength of the l1 penalty");
  command.add_option("--schedule", c.schedule, "Step sizes over time: constant, sqrt, inverse")
      ->check(CLI::IsMember({"constant", "sqrt", "inverse"}))
      ->group("Learning");
  command.add_option("--features", c.options.features, "At most this many non-zero weights")
      ->check(whole_number())
      ->group("Learning");
  command.add_option("--density", c.density, "The same as a share of all features, e.g. 5%")
      ->group("Learning");
  auto* passes = command.add_option("--passes", c.options.passes, "Passes over the rows")
                     ->check(whole_number())
                     ->capture_default_str()
                     ->group("Learning");
  command
      .add_option("--steps", c.options.steps,
                  "Rows, batches or coordinates to learn from, instead of --passes")
      ->check(whole_number())
      ->excludes(passes)
      ->group("Learning");
  command.add_option("--order", c.order, "Order of the rows: shuffle or sequential")
      ->check(CLI::IsMember({"shuffle", "sequential"}))
      ->capture_default_str()
      ->group("Learning");
  command.add_option("--seed", c.options.seed, "Decides everything random")
      ->check(whole_number())
      ->capture_default_str()
      ->group("Learning");
  command.add_flag("!--no-intercept", c.options.intercept, "Learn no intercept")->group("Learning");
  command.add_option("--from,-i", c.from, "Start from this model")->group("Learning");
  add_own_options(command, c);
}

void add_row_options(CLI::App& command, TrainCommand& c) {
  command.add_option("--task", c.task, "classification or regression")
      ->check(CLI::IsMember({"classification", "regression"}))
      ->capture_default_str();
  command.add_option("--positive", c.options.positive, "The label that is +1; default: the larger");
  command
      .add_option("--multiclass", c.multiclass,
                  "More than two classes: ovr (each against the rest) or softmax")
      ->check(CLI::IsMember({"ovr", "softmax"}))
      ->capture_default_str();
  command.add_option("--feature-labels", c.options.feature_labels_file,
                     "With --non-negative: the class that each feature speaks for, one a line");
  command.add_option("--weights", c.options.weights_file, "Example weights, one a line");
  command.add_option("--class-weight", c.class_weight, "balanced: both classes count the same")
      ->check(CLI::IsMember({"none", "balanced"}));
  auto* holdout =
      command.add_option("--holdout", c.holdout, "Hold out this share of rows, e.g. 10%");
  command.add_option("--valid", c.valid, "Validate on this file")->excludes(holdout);
  command.add_flag("--calibrate", c.options.calibrate,
                   "Learn probabilities on the held-out rows (Platt)");
  command.add_option("--names", c.names, "Feature names: line i names feature i");
  command.add_option("--memory", c.options.memory, "Memory for rows kept between passes, e.g. 1GB")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("128MB");
  command.add_option("--trace", c.trace_file, "Write a trace as JSON lines");
  command.add_option("--trace-at", c.trace_at, "When: passes, densities, or every N examples");
}

}  // namespace

void add_train(CLI::App& app) {
  auto c = std::make_shared<TrainCommand>();
  CLI::App& command = *app.add_subcommand("train", "Learn a sparse model");
  command.add_option("data", c->data, "libsvm text, plain, gzip, zstd or xz; - for stdin");
  command.add_option("-d", c->data, "The same, as Vowpal Wabbit writes it");
  command.add_option("-o,-f,--output", c->output,
                     "Where the model goes; default: DATA.thresh here");
  add_learning_options(command, *c);
  add_row_options(command, *c);
  add_read_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh train rcv1.svm.xz --features 500 --holdout 10%\n"
      "  zcat big.svm.gz | thresh train - -o big.thresh --density 1% --passes 3\n"
      "  thresh train a.svm --valid b.svm --trace a.jsonl --trace-at densities\n"
      "Stops early when the feature budget is reached or a pass changes nothing. Ctrl-C keeps the\n"
      "model so far.");
  command.callback([c] { train(*c); });
}

}  // namespace thresh::cli
