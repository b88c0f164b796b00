// The public functions: they apply a projection once its threshold is known.

#include "thresh/projection.hpp"

#include <array>
#include <string>

#include "projection/threshold.hpp"
#include "sparse/row_loops.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"automatic", "sort", "pivot", "condat"};

double plus(double v) {
  return v > 0 ? v : 0.0;
}

// Whether the entries (of a ball, each with a floor of 0) sum to clearly less than the radius.
// Stops as soon as they do not, so it is cheap for a vector far outside. NaN is not inside.
bool clearly_inside(const Entries& entries, double radius) {
  const auto v = entries.values;
  double sum = 0;
  for (std::size_t at = 0; at < v.size(); at += kEntryBlock) {
    double part[4] = {};
    const std::size_t end = std::min(v.size(), at + kEntryBlock);
    std::size_t i = at;
    for (; i + 4 <= end; i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) part[lane] += std::fabs(v[i + lane]);
    }
    for (; i < end; ++i) part[0] += std::fabs(v[i]);
    sum += (part[0] + part[1]) + (part[2] + part[3]);
    if (!(sum <= radius * (1 - kSlack))) return false;
  }
  return true;
}

double ball_threshold(const Entries& entries, double radius, ProjectionMethod method) {
  if (radius > 0 && radius <= kLargestEntry && clearly_inside(entries, radius)) return 0;
  return plus(find_threshold(entries, radius, method));
}

}  // namespace

ProjectionMethod projection_method(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ProjectionMethod>(i);
  }
  throw UsageError("no projection method is called '" + std::string(name) +
                   "' (automatic, sort, pivot, condat)");
}

std::string_view name_of(ProjectionMethod method) {
  return kNames[static_cast<std::size_t>(method)];
}

double simplex_threshold(std::span<const double> values, double radius, ProjectionMethod method) {
  return find_threshold({.values = values}, radius, method);
}

double project_simplex(std::span<double> v, double radius, ProjectionMethod method) {
  const double theta = find_threshold({.values = v}, radius, method);
  if (std::isfinite(theta)) {
    for (double& w : v) w = plus(w - theta);
    return theta;
  }
  // No double spans from -1.7e308 to a radius of 1.7e308, so compute with quarters.
  for (double& w : v) w /= 4;
  const double quarter = find_threshold({.values = v}, radius / 4, method);
  for (double& w : v) w = 4 * plus(w - quarter);
  return theta;
}

double project_l1_ball(std::span<double> v, double radius, ProjectionMethod method) {
  const double theta =
      ball_threshold({.values = v, .magnitudes = true, .floor = 0}, radius, method);
  if (theta > 0) {
    for (double& w : v) w = soft_threshold(w, theta);
  }
  return theta;
}

double project_nonnegative_l1_ball(std::span<double> v, double radius, ProjectionMethod method) {
  const double theta = ball_threshold({.values = v, .floor = 0}, radius, method);
  for (double& w : v) w = plus(w - theta);
  return theta;
}

}  // namespace thresh
