// Times the projections against each other; bench/projection builds and runs it. Outputs are
// compared before anything is timed, and all that is compared runs in one process, in turns.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "projection/ball_buckets.hpp"
#include "projection/ball_tree.hpp"
#include "sparse/random.hpp"
#include "thresh/projection.hpp"

namespace {

using thresh::BallBuckets;
using thresh::BallTree;
using thresh::ProjectionMethod;
using thresh::Random;
using Vector = std::vector<double>;

constexpr int kRuns = 5;
constexpr int kSteps = 50;

// Of the processor, not of the clock on the wall: on a busy machine long steps would lose more of
// it than short ones. Projections use one thread.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Action>
double seconds(Action action) {
  const double start = cpu_seconds();
  action();
  return cpu_seconds() - start;
}

[[noreturn]] void fail(const std::string& what) {
  std::printf("NOT EQUAL: %s\n", what.c_str());
  std::exit(1);
}

void expect_equal(double a, double b, const std::string& what) {
  if (!(std::fabs(a - b) <= 1e-12 * std::fabs(b))) fail(what);
}

Vector magnitudes(std::size_t n, bool normal, Random& random) {
  Vector v(n);
  for (double& x : v) x = normal ? std::fabs(random.normal()) : random.uniform();
  return v;
}

double sum(const Vector& v) {
  double total = 0;
  for (const double x : v) total += x;
  return total;
}

double median(Vector v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// (a) All methods on one vector; the ratio is Condat's time over the method's, run by run.
void compare_methods(std::size_t n, bool normal, double radius, const char* radius_name) {
  const ProjectionMethod methods[] = {ProjectionMethod::condat, ProjectionMethod::automatic,
                                      ProjectionMethod::pivot, ProjectionMethod::sort};
  Random random(n);
  const Vector v = magnitudes(n, normal, random);
  if (radius < 0) radius *= -sum(v);
  const double theta = thresh::simplex_threshold(v, radius, ProjectionMethod::sort);
  const int repeat = static_cast<int>(std::max<std::size_t>(1, 1'000'000 / n));
  std::vector<Vector> times(std::size(methods));
  for (const ProjectionMethod method : methods) {
    expect_equal(thresh::simplex_threshold(v, radius, method), theta,
                 std::string(name_of(method)) + " and sort");
  }
  for (int run = 0; run < kRuns; ++run) {
    for (std::size_t m = 0; m < std::size(methods); ++m) {
      double check = 0;
      times[m].push_back(seconds([&] {
        for (int i = 0; i < repeat; ++i) check += thresh::simplex_threshold(v, radius, methods[m]);
      }));
      expect_equal(check / repeat, theta, "a repeated call");
    }
  }
  std::printf("| %.0e | %s | %s |", static_cast<double>(n), normal ? "normal" : "uniform",
              radius_name);
  for (const Vector& of_method : times) {
    Vector ratios;
    for (std::size_t run = 0; run < kRuns; ++run) ratios.push_back(times[0][run] / of_method[run]);
    const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
    std::printf(" %.4g", 1e3 * median(of_method) / repeat);
    if (&of_method != &times[0]) std::printf(": %.2f (%.2f .. %.2f)", median(ratios), *low, *high);
    std::printf(" |");
  }
  std::printf("\n");
}

// One step of a solver on sparse rows, decided in advance so that all sides do the same.
struct Step {
  std::vector<std::size_t> places;
  Vector changes;
};

// Of every `apart`-th value.
Step any_step(std::size_t n, std::size_t apart, std::size_t changes, Random& random) {
  Step step;
  for (std::size_t i = 0; i < changes; ++i) {
    step.places.push_back(random.below(n / apart) * apart);
    step.changes.push_back(0.01 * std::fabs(random.normal()));  // outwards: each step must project
  }
  return step;
}

// The magnitudes of a vector whose order is kept by Ball.
template <class Ball>
class Kept {
 public:
  explicit Kept(const Vector& v) : raw_(v) {
    for (const double x : raw_) ball_.insert(x);
  }
  double take(const Step& step, double radius) {
    for (std::size_t i = 0; i < step.places.size(); ++i) {
      double& raw = raw_[step.places[i]];
      const double magnitude = raw > ball_.shift() ? raw - ball_.shift() : 0;
      if (magnitude > 0) ball_.erase(raw);
      raw = std::fabs(magnitude + step.changes[i]) + ball_.shift();
      ball_.insert(raw);
    }
    return ball_.project(radius);
  }
  std::size_t size() const { return ball_.size(); }

 private:
  Vector raw_;
  Ball ball_;
};

// Re-projecting the whole vector by a linear-time method; it too only raises the shift.
struct Linear {
  Vector raw;
  ProjectionMethod method;
  double shift = 0;

  double take(const Step& step, double radius) {
    for (std::size_t i = 0; i < step.places.size(); ++i) {
      double& r = raw[step.places[i]];
      const double magnitude = r > shift ? r - shift : 0;
      r = std::fabs(magnitude + step.changes[i]) + shift;
    }
    shift = std::max(shift, thresh::simplex_threshold(raw, radius, method));
    return shift;
  }
  std::size_t size() const {
    return static_cast<std::size_t>(
        std::count_if(raw.begin(), raw.end(), [this](double r) { return r > shift; }));
  }
};

struct Course {
  Vector times;
  Vector shifts;
  std::vector<std::size_t> supports;
};

// All steps with one structure, as in a solver: it has the cache to itself.
template <class Vectors>
Course run(Vectors vectors, const std::vector<Step>& steps, double radius) {
  Course course;
  for (const Step& step : steps) {
    course.times.push_back(seconds([&] { course.shifts.push_back(vectors.take(step, radius)); }));
    course.supports.push_back(vectors.size());
  }
  return course;
}

void expect_equal(const Course& a, const Course& b, const std::string& what) {
  for (std::size_t i = 0; i < a.shifts.size(); ++i) {
    expect_equal(a.shifts[i], b.shifts[i], "shifts of " + what);
    if (a.supports[i] != b.supports[i]) fail("supports of " + what);
  }
}

// (b) n values, of which every `apart`-th is not zero, and some of those change in each step.
void compare_updates(std::size_t n, std::size_t apart, std::size_t changes, bool narrow) {
  Random random(n + changes);
  Vector v = magnitudes(n, true, random);
  for (std::size_t i = 0; i < n; ++i) {
    if (narrow) v[i] = 1 + 1e-3 * v[i];
    if (i % apart != 0) v[i] = 0;
  }
  const double radius = sum(v);  // all are non-zero to begin with
  std::vector<Step> steps;
  for (int i = 0; i < kSteps; ++i) steps.push_back(any_step(n, apart, changes, random));
  const Course linear = run(Linear{v, ProjectionMethod::pivot}, steps, radius);
  const Course fastest = run(Linear{v, ProjectionMethod::automatic}, steps, radius);
  const Course tree = run(Kept<BallTree>(v), steps, radius);
  const Course buckets = run(Kept<BallBuckets>(v), steps, radius);
  expect_equal(tree, linear, "tree and linear");
  expect_equal(buckets, linear, "buckets and linear");
  expect_equal(fastest, linear, "automatic and pivot");
  const Vector& shifts = linear.shifts;
  if (std::adjacent_find(shifts.begin(), shifts.end(), std::greater_equal<>()) != shifts.end()) {
    fail("a step that did not project, and one that did");
  }
  Vector ratios;
  for (std::size_t i = 0; i < kSteps; ++i) ratios.push_back(linear.times[i] / buckets.times[i]);
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  const double ms[] = {1e3 * median(linear.times), 1e3 * median(fastest.times),
                       1e3 * median(tree.times), 1e3 * median(buckets.times)};
  std::printf("| %s | %zu | %zu | %.2f | %.2f | %.3f | %.3f | %.1f | %.1f | %.1f .. %.1f |\n",
              narrow ? "1 .. 1.005" : "normal", n / apart, changes, ms[0], ms[1], ms[2], ms[3],
              ms[0] / ms[2], ms[0] / ms[3], *low, *high);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "all";
  const std::size_t largest = argc > 2 ? std::stoul(argv[2]) : 10'000'000;
  if (what == "all" || what == "methods") {
    std::printf("ms: Condat's time over this one's, median (lowest .. highest of %d runs)\n\n",
                kRuns);
    std::printf("| n | entries | radius | condat | automatic | pivot | sort |\n");
    std::printf("|---|---|---|---|---|---|---|\n");
    for (std::size_t n = 100; n <= largest; n *= 10) {
      for (const bool normal : {true, false}) {
        compare_methods(n, normal, 1, "1");
        compare_methods(n, normal, -0.1, "norm / 10");
      }
    }
  }
  if (what == "all" || what == "updates") {
    std::printf(
        "\n| raw values | active | changes | pivot ms | automatic ms | tree ms | buckets ms "
        "| pivot / tree | pivot / buckets | spread of %d |\n",
        kSteps);
    std::printf("|---|---|---|---|---|---|---|---|---|---|\n");
    for (const std::size_t changes : {100u, 1000u}) compare_updates(2'000'000, 1, changes, false);
    compare_updates(2'000'000, 1, 1000, true);
    for (const std::size_t changes : {100u, 1000u}) compare_updates(2'000'000, 20, changes, false);
  }
}
