// Euclidean projections onto the simplex and the l1 ball, in place: the nearest point of the set.
//
// Each returns the shift theta by which magnitudes were lowered (what fell to zero or below is
// zero); 0 if the vector was inside and nothing changed. All are deterministic, may be called from
// several threads at once, and throw Error if an entry or the radius is not finite or the radius is
// negative; then the vector is as it was.
#pragma once

#include <span>
#include <string_view>

namespace thresh {

// How the shift is found. All give the same answer; they differ in time.
enum class ProjectionMethod {
  automatic,  // the fastest measured
  sort,       // Duchi et al. 2008, figure 1: O(n log n)
  pivot,      // Duchi et al. 2008, figure 2: expected O(n)
  condat,     // Condat 2016: O(n) on all but contrived data
};

// By its name as above; throws UsageError for any other.
ProjectionMethod projection_method(std::string_view name);
std::string_view name_of(ProjectionMethod method);

// The theta with sum_j max(values_j - theta, 0) = radius, on which all projections rest. Negative
// where the values sum to less than the radius (-infinity if no double is as low); the largest
// value if the radius is 0; 0 if there are no values.
double simplex_threshold(std::span<const double> values, double radius,
                         ProjectionMethod method = ProjectionMethod::automatic);

// Onto { w >= 0, sum_j w_j = radius }. Here theta may be negative.
double project_simplex(std::span<double> v, double radius,
                       ProjectionMethod method = ProjectionMethod::automatic);

// Onto { sum_j |w_j| <= radius }. No entry changes its sign.
double project_l1_ball(std::span<double> v, double radius,
                       ProjectionMethod method = ProjectionMethod::automatic);

// Onto { w >= 0, sum_j w_j <= radius }. Negative entries become zero, also if theta is 0.
double project_nonnegative_l1_ball(std::span<double> v, double radius,
                                   ProjectionMethod method = ProjectionMethod::automatic);

// Onto { sum_j a_j |w_j| <= radius }: w_j = sign(v_j) max(|v_j| - a_j theta, 0). An a_j of 0 leaves
// w_j free. Throws UsageError if there are not as many a as v, Error if one of them is negative or
// not finite.
double project_weighted_l1_ball(std::span<double> v, std::span<const double> a, double radius);

}  // namespace thresh
