// The l1 optimum against LIBLINEAR's -s 6, in one process and on the same rows: no reading is
// timed.
//
// For each lambda thresh solves to a certified gap of 1e-6. LIBLINEAR gets the largest tolerance of
// 10^-1, 10^-2, ... that brings its objective within 1e-6 of that optimum. Then both take turns
// five times; the medians are compared, and the spread is shown. thresh's time starts with the
// parsed rows and so includes making the matrix; LIBLINEAR's is its train(). Usage: bench_l1 FILE
// [RATIO...]

#include <fmt/format.h>
#include <linear.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "data/feed/matrix.hpp"
#include "data/read/sources.hpp"
#include "solvers/l1/descent.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/thresh.hpp"

namespace {

using namespace thresh;

constexpr int kRuns = 5;
constexpr double kEnough = 1e-6;

double seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

std::string with_spread(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return fmt::format("{:8.4f} ({:.4f}-{:.4f})", times[times.size() / 2], times.front(),
                     times.back());
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// The rows in LIBLINEAR's own form.
class Liblinear {
 public:
  explicit Liblinear(const Matrix& matrix) : labels_(matrix.rows()) {
    nodes_.reserve(matrix.entries() + matrix.rows());
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
      starts.push_back(nodes_.size());
      labels_[i] = matrix.label(i);
      const SparseVector x = matrix.row(i);
      for (std::size_t k = 0; k < x.size; ++k) {
        nodes_.push_back({static_cast<int>(x.at[k]) + 1, x.values[k]});
      }
      nodes_.push_back({-1, 0});
    }
    for (const std::size_t start : starts) rows_.push_back(nodes_.data() + start);
    problem_ = {static_cast<int>(matrix.rows()), static_cast<int>(matrix.columns()), labels_.data(),
                rows_.data(), -1};
    set_print_string_function([](const char*) {});
  }

  // Seconds, and the objective in thresh's scale.
  std::pair<double, double> solve(const L1Objective& objective, double lambda, double eps) const {
    parameter p{};
    p.solver_type = L1R_LR;
    p.C = 1 / (lambda * static_cast<double>(problem_.l));
    p.eps = eps;
    p.init_sol = nullptr;
    const double start = seconds();
    model* trained = train(&problem_, &p);
    const double took = seconds() - start;
    const double sign = trained->label[0] > 0 ? 1 : -1;
    double sum = 0;
    L1Objective::Point point;
    point.margins.assign(objective.rows(), 0);
    for (std::size_t j = 0; j < objective.features(); ++j) {
      const double w = sign * trained->w[j];
      if (w == 0) continue;
      sum += lambda * std::fabs(w);
      const SparseVector x = objective.column(j);
      for (std::size_t k = 0; k < x.size; ++k) point.margins[x.at[k]] += w * x.values[k];
    }
    objective.evaluate(point);
    free_and_destroy_model(&trained);
    return {took, point.loss + sum};
  }

 private:
  std::vector<double> labels_;
  std::vector<feature_node> nodes_;
  std::vector<feature_node*> rows_;
  problem problem_{};
};

struct Data {
  std::shared_ptr<FeatureMap> features = make_feature_map();
  std::shared_ptr<RowSource> rows;
  RowView view;
};

Data load(const std::string& path) {
  Data data;
  data.rows =
      std::make_shared<RetainingSource>(open_rows(path, {}, data.features), std::uint64_t{1} << 40);
  data.view.labels = LabelMap::from_survey(*data.rows->survey(), std::nullopt);
  for (std::size_t k = 0; data.rows->block(k); ++k) {
  }
  return data;
}

struct Timed {
  double matrix, solve;
  Certificate certificate;
  std::size_t nonzeros = 0;
};

Timed solve(const Data& data, double ratio, double enough = kEnough) {
  Timed timed{};
  double start = seconds();
  const std::vector<std::uint32_t> none;
  const auto matrix = std::make_shared<const Matrix>(data.rows, data.view, *data.features, none,
                                                     Matrix::Layout::columns);
  timed.matrix = seconds() - start;
  start = seconds();
  const L1Objective objective(matrix, LossFunction(Loss::logistic), false, 0, {}, Signs());
  L1Descent descent(objective, std::vector<double>(objective.columns()));
  descent.aim(ratio * descent.largest_lambda());
  while (descent.round(enough)) {
  }
  timed.solve = seconds() - start;
  timed.certificate = descent.certificate();
  for (const double w : descent.weights()) timed.nonzeros += w != 0 ? 1 : 0;
  return timed;
}

void compare(const Data& data, double ratio) {
  const Timed first = solve(data, ratio);
  const auto matrix = std::make_shared<const Matrix>(data.rows, data.view, *data.features);
  const L1Objective objective(matrix, LossFunction(Loss::logistic), false, 0, {}, Signs());
  const Liblinear liblinear(*matrix);
  const double lambda = first.certificate.lambda;
  const Certificate exact = solve(data, ratio, 1e-10).certificate;
  const double optimum = exact.objective - exact.gap;
  double eps = 0.1, reached = 0;
  for (; eps > 1e-9; eps /= 10) {
    reached = liblinear.solve(objective, lambda, eps).second / optimum - 1;
    if (reached <= kEnough) break;
  }
  std::vector<double> whole, ours, theirs;
  for (int run = 0; run < kRuns; ++run) {
    const Timed timed = solve(data, ratio);
    whole.push_back(timed.matrix + timed.solve);
    ours.push_back(timed.solve);
    theirs.push_back(liblinear.solve(objective, lambda, eps).first);
  }
  fmt::print(
      "{:<7g} {:>7} non-zeros, lambda {:.17g} , minimum {:.17g} , gap {:.1e}\n"
      "   thresh from rows  {}   LIBLINEAR/this {:.2f}\n"
      "   thresh, solving   {}   LIBLINEAR/this {:.2f}\n"
      "   LIBLINEAR -e {:g} {} at {:.1e} above\n",
      ratio, first.nonzeros, lambda, optimum, first.certificate.relative(), with_spread(whole),
      median(theirs) / median(whole), with_spread(ours), median(theirs) / median(ours), eps,
      with_spread(theirs), reached);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const Data data = load(argv[1]);
  fmt::print("{}: {} rows\n", argv[1], data.rows->survey()->rows);
  for (int i = 2; i < argc; ++i) compare(data, std::atof(argv[i]));
  if (argc == 2) {
    for (const double ratio : {0.1, 0.01, 0.001}) compare(data, ratio);
  }
}
