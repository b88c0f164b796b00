// Euclidean projections onto the simplex and the l1 ball, in place: the nearest point of the set.
//
// Each returns theta, the amount subtracted from all magnitudes (negative results become zero), or
// 0 if the vector was inside and did not change. All are deterministic and may be called from
// several threads at once. They throw Error, and leave the vector unchanged, if an entry or the
// radius is not finite or the radius is negative.
#pragma once

#include <span>
#include <string_view>

namespace thresh {

// How theta is computed. All methods give the same result; they differ in time.
enum class ProjectionMethod {
  automatic,  // the fastest in our measurements
  sort,       // Duchi et al. 2008, figure 1: O(n log n)
  pivot,      // Duchi et al. 2008, figure 2: expected O(n)
  condat,     // Condat 2016: O(n) except on contrived data
};

// The method with this name. Throws UsageError for an unknown name.
ProjectionMethod projection_method(std::string_view name);
std::string_view name_of(ProjectionMethod method);

// The theta with sum_j max(values_j - theta, 0) = radius; all projections use it. It is negative if
// the positive values sum to less than the radius (-infinity if it is below all doubles), the
// largest value if the radius is 0, and 0 if there are no values.
double simplex_threshold(std::span<const double> values, double radius,
                         ProjectionMethod method = ProjectionMethod::automatic);

// Onto { w >= 0, sum_j w_j = radius }. Here theta may be negative.
double project_simplex(std::span<double> v, double radius,
                       ProjectionMethod method = ProjectionMethod::automatic);

// Onto { sum_j |w_j| <= radius }. No entry changes its sign.
double project_l1_ball(std::span<double> v, double radius,
                       ProjectionMethod method = ProjectionMethod::automatic);

// Onto { w >= 0, sum_j w_j <= radius }. Negative entries become zero, even if theta is 0.
double project_nonnegative_l1_ball(std::span<double> v, double radius,
                                   ProjectionMethod method = ProjectionMethod::automatic);

// Onto { sum_j a_j |w_j| <= radius }: w_j = sign(v_j) max(|v_j| - a_j theta, 0). An a_j of 0 leaves
// w_j free. Throws UsageError if a and v differ in length, Error if an a_j is negative or not
// finite.
double project_weighted_l1_ball(std::span<double> v, std::span<const double> a, double radius);

}  // namespace thresh
