// When the next line of a trace is due.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "thresh/options.hpp"

namespace thresh {

inline constexpr double kTraceDensities[] = {
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1};

class TraceMarks {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  TraceMarks(std::optional<TraceAt> at, std::uint64_t dimension) : at_(at), dimension_(dimension) {}

  bool wanted() const { return at_.has_value(); }
  bool at_densities() const { return at_ && at_->kind == TraceAt::Kind::densities; }
  bool at_pass_ends() const { return at_ && at_->kind == TraceAt::Kind::passes; }

  // The example count after which a line is due.
  std::uint64_t next_examples(std::uint64_t examples) const {
    if (!at_ || at_->kind != TraceAt::Kind::examples) return kNever;
    return (examples / at_->every + 1) * at_->every;
  }

  // The support at which a line is due, given the largest so far.
  std::uint64_t next_nonzeros(std::uint64_t nonzeros) const {
    if (!at_ || at_->kind != TraceAt::Kind::densities) return kNever;
    for (const double density : kTraceDensities) {
      const auto mark =
          static_cast<std::uint64_t>(std::ceil(density * static_cast<double>(dimension_) - 1e-9));
      if (mark > nonzeros) return mark;
    }
    return kNever;
  }

 private:
  std::optional<TraceAt> at_;
  std::uint64_t dimension_;
};

}  // namespace thresh
