// l1: the exact minimum of
//
//     P(w, b) = mean L(a, y) + lambda sum_j p_j |w_j| + (l2/2) |w|^2
//
// for losses with a curvature, with a certificate: a duality gap below --gap of P.
//
// Working sets follow Johnson & Guestrin 2015 and Massias et al. 2018, safe screening Ndiaye et al.
// 2017. On the set it takes proximal Newton steps (Lee, Sun & Saunders 2014). Their models are
// minimised by coordinate descent, then by linear equations on the face of the non-zero weights;
// small sets are solved exactly. descent.hpp has the rounds, newton_model.hpp the model, face.cpp
// and small.cpp its minimum.
//
// Departures: the intercept is not penalised. It is optimised before every certificate, because
// dual feasible slopes must sum to zero. The losses huber and quantile, whose curvature is zero for
// most or all rows, are softened at first (objective.hpp); the gap is that of the loss itself.
//
// Cost: a round reads every column that is not dropped once; its Newton steps read the columns of
// the set a few dozen times. All rows and columns are in memory.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "data/read/bytes.hpp"
#include "solvers/catalog.hpp"
#include "solvers/l1/descent.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

// The factor of lambda for each column. Line i of the file is feature i. Throws Error if a line is
// not a finite number above 0, or if the file ends before the last feature.
std::vector<double> read_penalties(const std::string& path, const Matrix& matrix,
                                   const FeatureMap& features) {
  std::vector<double> factors;
  std::size_t j = 0;
  std::uint64_t feature = 0;
  // Only features that occur are stored. Columns are in the order of the lines.
  for_each_line(path, [&](std::string_view line) {
    const auto factor = parse_finite(line);
    if (!factor || *factor <= 0) {
      throw Error(fmt::format("{}:{}: penalty is not a finite number above 0", path, feature + 1));
    }
    if (j < matrix.columns() && features.id(matrix.slot(j)) == feature) {
      factors.push_back(*factor);
      ++j;
    }
    ++feature;
  });
  if (j < matrix.columns()) {
    throw Error(fmt::format("{}: {} penalties, but feature {} occurs", path, feature,
                            features.id(matrix.slot(matrix.columns() - 1)) + 1));
  }
  return factors;
}

class L1 : public MatrixSolver {
 public:
  explicit L1(const SolverSetup& setup)
      : loss_(setup.loss()),
        lambdas_(setup.options.lambdas),
        lambda_(setup.options.lambda),
        ratio_(setup.number("lambda-ratio")),
        enough_(setup.number("gap")),
        l2_(setup.number("l2")),
        penalties_file_(setup.word("penalties")),
        signs_(setup.signs()),
        features_(setup.features),
        intercept_(setup.options.intercept),
        compensated_(setup.options.compensated),
        stop_(setup.options.stop) {
    if (!(enough_ > 0)) throw UsageError("--gap must be above 0");
    if (l2_ < 0) throw UsageError("--l2 must not be negative");
    if (!(lambda_ > 0) && ratio_ == 0) throw UsageError("l1 needs a --lambda above 0");
    if (ratio_ < 0 || ratio_ > 1) throw UsageError("--lambda-ratio must be between 0 and 1");
  }

  void load(std::shared_ptr<const Matrix> matrix) override {
    matrix_ = std::move(matrix);
    std::vector<double> factors;
    if (!penalties_file_.empty()) factors = read_penalties(penalties_file_, *matrix_, *features_);
    objective_.emplace(matrix_, loss_, intercept_, l2_, std::move(factors), signs_, compensated_);
    for (std::size_t j = 0; j < objective_->columns(); ++j) {
      if (std::isfinite(objective_->norm(j))) continue;
      diverge("squares of the values overflow");
    }
  }

  void begin() override {
    std::vector<double> weights;
    for (std::size_t j = 0; j < matrix_->columns(); ++j) {
      weights.push_back(state_.weights[matrix_->slot(j)]);
    }
    if (intercept_) weights.push_back(state_.intercept);
    if (objective_->is_clipped()) objective_->soften(kSharpest * objective_->first_width());
    descent_.emplace(*objective_, std::move(weights), stop_);
    largest_ = descent_->largest_lambda();
    lambdas_.push_back(ratio_ > 0 ? ratio_ : lambda_);
    for (double& lambda : lambdas_) lambda *= ratio_ > 0 ? largest_ : 1;
    aim(lambdas_.front());
  }

  std::uint64_t steps_per_pass() const override { return 1; }
  bool counts_freely() const override { return true; }
  bool counts_mistakes() const override { return false; }

  void advance(std::uint64_t n, const Until& until) override {
    for (; n > 0 && state_.t < until.steps && !ended_; --n) {
      ++state_.t;
      state_.examples += matrix_->rows();
      const bool more = descent_->round(needed_);
      take_over();
      if (more || sharpen()) continue;
      solved_.push_back({descent_->proof(), descent_->weights()});
      if (solved_.size() < lambdas_.size()) {
        aim(lambdas_[solved_.size()]);
      } else {
        ended_ = {Outcome::converged, reason(descent_->proof())};
      }
    }
  }

  double loss(std::span<const double> margins, std::span<const Row> rows) const override {
    return loss_.sum(margins, rows);
  }

  double penalty() const override {
    double sum = 0;
    for (std::size_t j = 0; j < matrix_->columns(); ++j) {
      const double w = state_.weights[matrix_->slot(j)];
      if (w != 0) sum += objective_->price(j, shown_lambda()).of(w) + 0.5 * l2_ * w * w;
    }
    return sum;
  }

  std::vector<Finding> theory() const override {
    if (!descent_) return {};
    const Certificate now =
        current() < solved_.size() ? solved_[current()].certificate : descent_->proof();
    if (now.lambda != shown_lambda()) {
      return {{"duality gap", std::nullopt, "does not apply: ended on the way to lambda"}};
    }
    // Very small values have vanishing gradients, and largest_ may be too small to divide by.
    const bool known = largest_ > 1e-300 * shown_lambda();
    return {{"lambda", shown_lambda(),
             known ? fmt::format("{:.4g} of the least that gives no features",
                                 shown_lambda() / largest_)
                   : "far above the least that gives no features"},
            {"objective", now.objective, "training rows, penalty included"},
            {"duality gap", now.gap,
             fmt::format("the minimum is at most this much lower: {:.2g} of the objective",
                         now.relative())}};
  }

  void archive(Archive& a) override {
    MatrixSolver::archive(a);
    double soft = objective_->softness();
    a(largest_, soft, needed_);
    if (a.reads() && objective_->is_clipped()) objective_->soften(soft);
    a.in_place(lambdas_);
    a(*descent_, solved_);
    a.require(solved_.size() <= lambdas_.size());
    for (const Solved& each : solved_) a.require(each.weights.size() == objective_->columns());
  }

  // One result per lambda, the largest lambda first. If a run ended early, its last result is not
  // converged.
  std::size_t results() const override {
    return lambdas_.size() > 1 ? std::min(solved_.size() + 1, lambdas_.size()) : 1;
  }
  void show(std::size_t result) override {
    shown_ = result;
    put(result < solved_.size() ? solved_[result].weights : descent_->weights());
  }
  void note_options(Options& options) const override {
    if (!lambdas_.empty() && descent_) options.lambda = shown_lambda();
  }

 private:
  // Widths of the soft lines of huber and quantile: shares of the first one.
  static constexpr double kSharpest = 1e-9;
  static constexpr double kNextWidth = 0.2;
  static constexpr double kRoughly = 1e-3;  // the gap with a width that is not the last

  void aim(double lambda) {
    needed_ = enough_;
    if (objective_->is_clipped()) {
      objective_->soften(objective_->first_width());
      needed_ = std::max(enough_, kRoughly);
    }
    descent_->aim(lambda);
    if (objective_->is_clipped()) descent_->change_of_loss();
  }

  // After the minimum with a soft loss: goes on with a sharper one, unless the bound of the true
  // loss is good enough.
  bool sharpen() {
    if (!objective_->is_clipped() || (stop_ != nullptr && *stop_)) return false;
    const Certificate& proof = descent_->proof();
    if (proof.relative() <= enough_) return false;
    const bool is_last = objective_->softness() <= objective_->true_width() ||
                         objective_->softness() <= kSharpest * objective_->first_width();
    const double from_softness = proof.gap - descent_->certificate().gap;
    // Half of the gap may come from a loss that is soft, the other half from too few steps.
    const bool soft_enough = is_last || from_softness <= 0.5 * enough_ * proof.objective;
    if (soft_enough && needed_ <= 0.5 * enough_) return false;
    if (soft_enough) {
      needed_ = 0.5 * enough_;
    } else {
      objective_->soften(kNextWidth * objective_->softness());
    }
    descent_->change_of_loss();
    return true;
  }

  struct Solved {
    Certificate certificate;
    std::vector<double> weights;

    void archive(Archive& a) { a(certificate, weights); }
  };

  // The index of the lambda that the weights belong to.
  std::size_t current() const { return shown_.value_or(results() - 1); }
  double shown_lambda() const { return lambdas_[current()]; }

  void take_over() {
    put(descent_->weights());
    state_.accesses = descent_->accesses();
    ++state_.updates;
  }
  void put(const std::vector<double>& weights) {
    for (std::size_t j = 0; j < matrix_->columns(); ++j) state_.set(matrix_->slot(j), weights[j]);
    if (intercept_) state_.intercept = weights.back();
  }

  std::string reason(const Certificate& certificate) const {
    const std::string reached =
        fmt::format("duality gap {:.2g} of the objective", certificate.relative());
    return certificate.relative() <= enough_ ? reached : reached + "; rounding allows no less";
  }

  LossFunction loss_;
  std::vector<double> lambdas_;  // intermediate lambdas, then the requested one
  double lambda_, ratio_, enough_, l2_;
  std::string penalties_file_;
  Signs signs_;
  const FeatureMap* features_;
  bool intercept_;
  bool compensated_;
  const std::atomic<bool>* stop_;
  std::shared_ptr<const Matrix> matrix_;
  std::optional<L1Objective> objective_;
  std::optional<L1Descent> descent_;
  double needed_ = 0;  // the gap to reach with the loss as soft as it is now
  double largest_ = 0;
  std::vector<Solved> solved_;
  std::optional<std::size_t> shown_;
};

}  // namespace

CatalogEntry l1() {
  using Kind = OptionInfo::Kind;
  CatalogEntry entry;
  entry.info.name = "l1";
  entry.info.paper = "Johnson & Guestrin 2015; Ndiaye et al. 2017; Massias et al. 2018";
  entry.info.objective = "mean L(a, y) + lambda sum p_j |w_j| + (l2/2) |w|^2";
  entry.info.update = "Newton steps on a working set, until a duality gap proves the minimum";
  entry.info.cost = "a round reads all columns once, its working set a few dozen times";
  entry.info.needs = "all rows and columns in memory";
  entry.info.in_memory = true;
  entry.info.columns_only = true;
  entry.info.unused = {"eta", "schedule", "order", "seed", "iterate"};
  entry.info.no_average = "it returns the minimum, not a step on the way";
  entry.info.halves_steps = false;
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::squared_hinge};
  add_losses_for_numbers(entry.info);
  entry.info.budget = BudgetUse::refused;
  entry.info.steps = "chosen by the Newton models; --eta is not used";
  entry.info.passes = 1000;
  entry.info.lambdas = true;
  entry.info.signs = true;
  entry.info.options = {
      {Kind::number, "gap", "1e-6", "the duality gap to reach, as a share of the objective"},
      {Kind::number, "l2", "0", "strength of an additional squared penalty (elastic net)"},
      {Kind::number, "lambda-ratio", "0",
       "if above 0: lambda as a share of the smallest lambda that gives an empty model"},
      {Kind::file, "penalties", "", "a file: line i is the factor of lambda for feature i"},
      non_negative_option()};
  entry.info.example = "thresh train DATA --solver l1 --lambda-ratio 0.01";
  entry.make = make_solver<L1>;
  return entry;
}

}  // namespace thresh
