#include "train/coefficients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cluster/slice_sums.hpp"
#include "cluster/words.hpp"
#include "data/feed/feature_scales.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {

double unscaled(double weight, std::uint32_t slot, const Problem& problem, std::uint64_t index) {
  constexpr double kUnnoticed = 1e-200;
  constexpr double kDigits = 1e-9;
  if (!problem.scales) return weight;
  const double scale = problem.scales->at(slot);
  const double plain = weight / scale;
  if (std::isnormal(plain) || scale == 1) return plain;
  const bool near = std::fabs(plain * scale - weight) <= kDigits * std::fabs(weight);
  if (std::isfinite(plain) && (near || std::fabs(weight) < kUnnoticed)) return plain;
  throw Error(
      fmt::format("{}: the weight of feature {}, {:g} for values divided by {:g}, does not fit in "
                  "a double for the undivided values (rescale them)",
                  problem.train->name(), index, weight, scale));
}

double intercept_of(const LinearState& state, const Problem& problem) {
  return problem.scales ? state.intercept - problem.scales->at_centres(state.weights)
                        : state.intercept;
}

namespace {

template <class Take>
void for_each_coefficient(const LinearState& state, const Problem& problem, const Take& take) {
  for (std::size_t slot = 0; slot < state.weights.size(); ++slot) {
    if (state.weights[slot] == 0) continue;
    const auto at = static_cast<std::uint32_t>(slot);
    const std::uint64_t index = problem.features->id(at) + (problem.zero_based ? 0 : 1);
    const double weight = unscaled(state.weights[slot], at, problem, index);
    if (weight != 0) take(index, weight);
  }
}

// In pieces, the last of which is shorter: a model may be much larger than what a rank holds
// otherwise.
constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes

void send_coefficients(const LinearState& state, const Problem& problem, Comm& comm) {
  Message piece;
  for_each_coefficient(state, problem, [&](std::uint64_t index, double weight) {
    put_word(index, piece);
    put_word(weight, piece);
    if (piece.size() < kPiece) return;
    comm.send(0, piece);
    piece.clear();
  });
  comm.send(0, piece);
}

void receive_coefficients(Comm& comm, std::vector<Coefficient>& coefficients) {
  for (std::size_t rank = 1; rank < comm.size(); ++rank) {
    for (bool last = false; !last;) {
      const Message piece = comm.receive(rank);
      for (std::size_t at = 0; at + 2 * kWordBytes <= piece.size(); at += 2 * kWordBytes) {
        coefficients.push_back({word_at<std::uint64_t>(piece.data() + at),
                                word_at<double>(piece.data() + at + kWordBytes), ""});
      }
      last = piece.size() < kPiece;
    }
  }
}

}  // namespace

std::vector<Coefficient> coefficients_of(const LinearState& state, const Problem& problem) {
  const auto& share = problem.features->share();
  // The count may come from a forged checkpoint.
  const auto mine = std::min<std::uint64_t>(state.nonzeros, state.weights.size());
  const std::uint64_t all = on_all_ranks(*problem.features, mine);
  std::vector<Coefficient> coefficients;
  if (share && share->comm->rank() != 0) {
    send_coefficients(state, problem, *share->comm);
    return coefficients;
  }
  coefficients.reserve(all);
  for_each_coefficient(state, problem, [&](std::uint64_t index, double weight) {
    coefficients.push_back({index, weight, ""});
  });
  if (share) receive_coefficients(*share->comm, coefficients);
  std::sort(coefficients.begin(), coefficients.end(),
            [](const Coefficient& a, const Coefficient& b) { return a.index < b.index; });
  return coefficients;
}

}  // namespace thresh
