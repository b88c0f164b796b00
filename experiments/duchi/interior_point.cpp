#include "duchi/interior_point.hpp"

#include <chrono>
#include <cmath>

namespace thresh::experiments {
namespace {

using Eigen::ArrayXd;
using Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

// The constants of the paper.
constexpr double kGrowth = 2;      // of t, after a long step
constexpr double kLongStep = 0.5;  // at least this is one
constexpr double kSlope = 0.01;    // what a step must gain, of what the slope promises
constexpr double kBack = 0.5;      // by which it is shortened otherwise
constexpr double kForcing = 1e-3;  // accuracy of conjugate gradients, relative to the gap
constexpr int kMostNewton = 200, kMostConjugate = 2000, kMostBack = 60;

double log_sum(const ArrayXd& u, const ArrayXd& w) {
  return (u + w).log().sum() + (u - w).log().sum();
}

class BarrierMethod {
 public:
  explicit BarrierMethod(const DenseProblem& problem)
      : problem_(problem),
        m_(static_cast<double>(problem.rows.rows())),
        n_(static_cast<double>(problem.rows.cols())),
        w_(VectorXd::Zero(problem.rows.cols())),
        u_(ArrayXd::Ones(problem.rows.cols())),
        margins_(VectorXd::Zero(problem.rows.rows())),
        step_(VectorXd::Zero(problem.rows.cols())),
        t_(std::max(1.0, 1 / problem.lambda)) {}

  InteriorRun run(double share) {
    InteriorRun result;
    slopes();
    for (int i = 0; i < kMostNewton; ++i) {
      result.points.push_back({objective(), gap(), accesses_, seconds()});
      if (gap() <= share * objective()) break;
      const double length = newton();
      if (length == 0) break;
      slopes();
      if (length >= kLongStep) t_ = std::max(t_, kGrowth * std::min(2 * n_ / gap(), t_));
    }
    result.weights = w_;
    return result;
  }

 private:
  VectorXd times(const VectorXd& v) {
    accesses_ += m_ * n_;
    return problem_.rows * v;
  }
  VectorXd transposed_times(const VectorXd& v) {
    accesses_ += m_ * n_;
    return problem_.rows.transpose() * v;
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  double loss(const VectorXd& margins) const {
    if (problem_.squared) return (margins - problem_.labels).squaredNorm() / 2 / m_;
    double sum = 0;
    for (Eigen::Index i = 0; i < margins.size(); ++i) {
      const double z = -problem_.labels[i] * margins[i];
      sum += std::max(z, 0.0) + std::log1p(std::exp(-std::fabs(z)));
    }
    return sum / m_;
  }
  double objective() const { return loss(margins_) + problem_.lambda * w_.lpNorm<1>(); }
  double barrier(const VectorXd& margins, const VectorXd& w, const ArrayXd& u) const {
    return t_ * (loss(margins) + problem_.lambda * u.sum()) - log_sum(u, w.array());
  }

  // First and second derivatives of the loss by the margins, and the gradient.
  void slopes() {
    if (problem_.squared) {
      slope_ = (margins_ - problem_.labels) / m_;
      curvature_ = VectorXd::Constant(margins_.size(), 1 / m_);
    } else {
      const ArrayXd y = problem_.labels.array();
      const ArrayXd wrong = 1 / (1 + (y * margins_.array()).exp());
      slope_ = -y * wrong / m_;
      curvature_ = wrong * (1 - wrong) / m_;
    }
    gradient_ = transposed_times(slope_);
  }

  // Of the dual point that the slopes give when they are scaled to be feasible.
  double gap() const {
    const double largest = gradient_.lpNorm<Eigen::Infinity>();
    const ArrayXd v = m_ * slope_.array() * std::min(1.0, problem_.lambda / largest);
    const ArrayXd y = problem_.labels.array();
    double conjugate = 0;
    if (problem_.squared) {
      conjugate = (v * v / 2 + v * y).sum();
    } else {
      for (const double p : ArrayXd(-y * v)) {
        if (p > 0) conjugate += p * std::log(p);
        if (p < 1) conjugate += (1 - p) * std::log1p(-p);
      }
    }
    return objective() + conjugate / m_;
  }

  // The Newton step in w and u; that in u is eliminated. Returns its length, 0 if none lowers the
  // barrier.
  double newton() {
    const ArrayXd w = w_.array(), above = 1 / (u_ + w), below = 1 / (u_ - w);
    const ArrayXd by_w = t_ * gradient_.array() - above + below;
    const ArrayXd by_u = t_ * problem_.lambda - above - below;
    const ArrayXd d1 = above.square() + below.square(), d2 = above.square() - below.square();
    const ArrayXd d3 = 4 * above.square() * below.square() / d1;
    const double norm = std::sqrt(by_w.square().sum() + by_u.square().sum());
    const double accuracy = std::min(0.1, kForcing * gap() / std::min(1.0, norm));
    solve(VectorXd(-by_w + d2 * by_u / d1), d3, std::max(accuracy, 1e-12));
    const ArrayXd du = -(by_u + d2 * step_.array()) / d1;
    return search(du, (by_w * step_.array()).sum() + (by_u * du).sum());
  }

  // Conjugate gradients from the last step for (t X'CX + d3) step = right.
  void solve(const VectorXd& right, const ArrayXd& d3, double accuracy) {
    const auto hessian = [&](const VectorXd& v) -> VectorXd {
      const VectorXd inner = curvature_.cwiseProduct(times(v));
      return t_ * transposed_times(inner) + VectorXd(d3 * v.array());
    };
    accesses_ += m_ * n_;
    const VectorXd diagonal =
        t_ * (problem_.rows.cwiseAbs2().transpose() * curvature_) + d3.matrix();
    VectorXd residual = right - hessian(step_);
    VectorXd scaled = residual.cwiseQuotient(diagonal), direction = scaled;
    double product = residual.dot(scaled);
    for (int i = 0; i < kMostConjugate && residual.norm() > accuracy * right.norm(); ++i) {
      const VectorXd image = hessian(direction);
      const double length = product / direction.dot(image);
      step_ += length * direction;
      residual -= length * image;
      scaled = residual.cwiseQuotient(diagonal);
      const double next = residual.dot(scaled);
      direction = scaled + next / product * direction;
      product = next;
    }
  }

  double search(const ArrayXd& du, double slope) {
    const VectorXd change = times(step_);
    const double before = barrier(margins_, w_, u_);
    double length = 1;
    for (int i = 0; i < kMostBack; ++i, length *= kBack) {
      const VectorXd w = w_ + length * step_;
      const ArrayXd u = u_ + length * du;
      if ((u - w.array().abs()).minCoeff() <= 0) continue;
      const VectorXd margins = margins_ + length * change;
      if (barrier(margins, w, u) > before + kSlope * length * slope) continue;
      w_ = w, u_ = u, margins_ = margins;
      return length;
    }
    return 0;
  }

  const DenseProblem& problem_;
  double m_, n_;
  VectorXd w_;
  ArrayXd u_;
  VectorXd margins_, step_, slope_, curvature_, gradient_;
  double t_;
  double accesses_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

InteriorRun interior_point(const DenseProblem& problem, double share) {
  return BarrierMethod(problem).run(share);
}

}  // namespace thresh::experiments
