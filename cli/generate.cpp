// thresh generate NAME: synthetic data with a known sparse truth.

#include "thresh/generate.hpp"

#include <fmt/format.h>

#include "common.hpp"
#include "progress.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh::cli {
namespace {

constexpr const char* kStandardOutput = "/dev/stdout";

struct GenerateCommand {
  std::string output = kStandardOutput, names, truth, noise, zeros, task = "classification";
  CorpusOptions corpus;
  GaussianOptions gaussian;
  SingleStepOptions single;
  OutputFlags out;
};

// A file that may not be wanted. Long generations can be interrupted between chunks.
class Target {
 public:
  // What flows into a pipe, whoever reads it will count.
  Target(const std::string& path, bool quiet)
      : meter_("writing " + path, quiet || path == kStandardOutput) {
    if (!path.empty()) file_.emplace(path);
  }
  Sink sink() {
    if (!file_) return nullptr;
    return [this](std::string_view text) {
      if (stop_requested) throw Interrupted("interrupted");
      file_->write(text);
      meter_.add(text.size());
    };
  }
  AtomicFile* done() {
    meter_.clear();
    return file_ ? &*file_ : nullptr;
  }

 private:
  std::optional<AtomicFile> file_;
  ReadMeter meter_;
};

// All files appear together.
void commit(const GenerateCommand& c, const Generated& made, std::vector<AtomicFile*> files) {
  std::optional<AtomicFile> truth;
  if (!c.truth.empty()) files.push_back(&truth.emplace(c.truth));
  for (const auto& [index, weight] : made.truth) {
    if (truth) truth->write(fmt::format("{}\t{:.17g}\n", index, weight));
  }
  std::erase(files, nullptr);
  AtomicFile::commit_together(files);
}

void report(const GenerateCommand& c, const Generated& made) {
  if (c.output == kStandardOutput) return;
  print_result(c.out,
               {{"file", c.output},
                {"rows", made.rows},
                {"features", made.features},
                {"nonzeros", made.nonzeros},
                {"positives", made.positives},
                {"informative", made.truth.size()}},
               fmt::format("{}: {} rows, {} features ({} informative), {} non-zeros, {} positive\n",
                           c.output, thousands(made.rows), thousands(made.features),
                           thousands(made.truth.size()), thousands(made.nonzeros),
                           thousands(made.positives)));
}

void corpus(GenerateCommand& c) {
  if (!c.noise.empty()) c.corpus.noise = parse_percent("--noise", c.noise);
  check_outputs({{"rows", c.output}, {"names", c.names}, {"true weights", c.truth}}, {});
  Target rows(c.output, c.out.quiet);
  Target names(c.names, c.out.quiet);
  const Generated made = generate_corpus(c.corpus, rows.sink(), names.sink());
  commit(c, made, {rows.done(), names.done()});
  report(c, made);
}

void gaussian(GenerateCommand& c) {
  c.gaussian.regression = c.task == "regression";
  if (!c.noise.empty()) c.gaussian.noise = parse_percent("--noise", c.noise);
  if (!c.zeros.empty()) c.gaussian.zeros = parse_percent("--zeros", c.zeros);
  check_outputs({{"rows", c.output}, {"names", c.names}, {"true weights", c.truth}}, {});
  Target rows(c.output, c.out.quiet);
  const Generated made = generate_gaussian(c.gaussian, rows.sink());
  commit(c, made, {rows.done()});
  report(c, made);
}

void single_step(GenerateCommand& c) {
  check_outputs({{"rows", c.output}, {"true weights", c.truth}}, {});
  Target rows(c.output, c.out.quiet);
  const Generated made = generate_single_step(c.single, rows.sink());
  commit(c, made, {rows.done()});
  report(c, made);
}

template <class Shape>
CLI::App& add_kind(CLI::App& generate, const char* name, const char* help, GenerateCommand& c,
                   Shape& shape) {
  CLI::App& command = *generate.add_subcommand(name, help);
  add_count(command, "--rows", shape.rows, "Rows")->capture_default_str();
  add_count(command, "--features", shape.features, "Features")->capture_default_str();
  add_count(command, "--seed", shape.seed, "Random seed; the same seed gives the same bytes")
      ->capture_default_str();
  if (std::string(name) != "single-step") {
    command.add_option("--noise", c.noise, "Share of labels flipped, e.g. 2%");
  }
  add_file(command, "-o,--output", c.output, "Output file; default: standard output");
  add_file(command, "--truth", c.truth, "Write the true weights, INDEX<TAB>WEIGHT");
  add_output_flags(command, c.out);
  return command;
}

}  // namespace

void add_generate(CLI::App& app) {
  auto c = std::make_shared<GenerateCommand>();
  CLI::App& generate = *app.add_subcommand("generate", "Make synthetic data");
  generate.require_subcommand(1);
  CLI::App& text =
      add_kind(generate, "corpus", "Text-like documents over a Zipf vocabulary", *c, c->corpus);
  add_count(text, "--informative", c->corpus.informative, "Words that tell the classes apart")
      ->capture_default_str();
  add_file(text, "--names", c->names, "Write the words, line i for feature i");
  text.footer(
      "Examples:\n"
      "  thresh generate corpus -o corpus.svm --names corpus.names\n"
      "  thresh generate corpus --rows 1000000 --features 200000 | zstd > big.svm.zst");
  text.callback([c] { corpus(*c); });
  CLI::App& normal = add_kind(generate, "gaussian", "Dense normal features (Duchi et al. 2008, 7)",
                              *c, c->gaussian);
  normal.add_option("--zeros", c->zeros, "Share of true weights that are zero [50%]");
  add_choice(normal, "--task", c->task, {"classification", "regression"},
             "classification or regression (noise: a deviation, 100% = 1)");
  normal.footer(
      "Examples:\n"
      "  thresh generate gaussian --rows 4000 --features 4000 --truth w.tsv > duchi.svm\n"
      "  thresh generate gaussian --task regression -o lasso.svm");
  normal.callback([c] { gaussian(*c); });
  CLI::App& single =
      add_kind(generate, "single-step",
               "Data on which methods that change one weight per step are slow (Shalev-Shwartz & "
               "Tewari 2011, Lemma 5)",
               *c, c->single);
  single.add_option("--norm", c->single.norm, "B: the bound on |w|_1, at least 2")
      ->capture_default_str();
  single.footer(
      "--features 0 is 100 (B^2 - 1). With the loss (a - y)^2 and |w|_1 <= B such a method needs "
      "at\n"
      "least B^2 / (16 epsilon) steps to come within epsilon of the minimum, for epsilon from "
      "0.01\n"
      "to 0.12 and enough rows.\n"
      "Examples:\n"
      "  thresh generate single-step --norm 3 --rows 10000 -o slow.svm");
  single.callback([c] { single_step(*c); });
  generate.footer(
      "Examples:\n"
      "  thresh generate corpus -o corpus.svm --names corpus.names\n"
      "  thresh generate gaussian --rows 4000 --features 4000 --truth w.tsv > duchi.svm");
}

}  // namespace thresh::cli
