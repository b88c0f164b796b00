// Nanoseconds to score a row of 12 entries: by the library, and by the C source that `thresh
// export` writes, which is given as a shared library.
//
// Usage: bench_score MODEL EXPORTED. Half of a row's features are the model's. Both must first give
// the same margins, to the last bit; then they take turns. Both models stay in the cache.

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "sparse/random.hpp"
#include "thresh/scorer.hpp"

namespace {

using namespace thresh;

constexpr std::size_t kRows = 1000;
constexpr std::size_t kEntries = 12;
constexpr int kTurns = 15;
constexpr int kRounds = 100;

struct SparseRow {
  std::array<std::uint64_t, kEntries> indices;
  std::array<double, kEntries> values;
};
using Exported = double (*)(const std::uint64_t*, const double*, std::size_t);

std::vector<SparseRow> draw_rows(const Model& model) {
  Random random(1);
  std::vector<SparseRow> rows(kRows);
  for (SparseRow& row : rows) {
    for (std::size_t k = 0; k < kEntries; ++k) {
      const std::uint64_t known = model.coefficients[random.below(model.coefficients.size())].index;
      row.indices[k] = k % 2 == 0 ? known : 1 + random.below(2 * model.coefficients.back().index);
      row.values[k] = random.normal();
    }
    std::sort(row.indices.begin(), row.indices.end());
    for (std::size_t k = 1; k < kEntries; ++k) {  // strictly ascending
      row.indices[k] = std::max(row.indices[k], row.indices[k - 1] + 1);
    }
  }
  return rows;
}

// The least of all turns, in nanoseconds a row, of this thread on its core.
template <class Score>
double measure(const std::vector<SparseRow>& rows, const Score& score) {
  double least = 1e300;
  volatile double sink = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto seconds = [] {
      timespec time{};
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    const double start = seconds();
    for (int round = 0; round < kRounds; ++round) {
      for (const SparseRow& row : rows) sink = sink + score(row);
    }
    least = std::min(least, (seconds() - start) * 1e9 / (kRounds * static_cast<double>(kRows)));
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fmt::print(stderr, "usage: bench_score MODEL EXPORTED\n"), 2;
  void* const library = ::dlopen(argv[2], RTLD_NOW);
  if (library == nullptr) return fmt::print(stderr, "{}\n", ::dlerror()), 1;
  const auto exported = reinterpret_cast<Exported>(::dlsym(library, "exported_margin"));
  const Scorer scorer(Model::load(argv[1]));
  const std::vector<SparseRow> rows = draw_rows(scorer.model());
  const auto by_library = [&](const SparseRow& row) {
    return scorer.predict({row.indices.data(), kEntries}, {row.values.data(), kEntries}).margin;
  };
  const auto by_export = [&](const SparseRow& row) {
    return exported(row.indices.data(), row.values.data(), kEntries);
  };
  for (const SparseRow& row : rows) {
    if (by_library(row) != by_export(row)) return fmt::print(stderr, "margins differ\n"), 1;
  }
  fmt::print("{:>8} weights: library {:.0f} ns, exported C {:.0f} ns a row\n",
             scorer.model().coefficients.size(), measure(rows, by_library),
             measure(rows, by_export));
}
