// Does SMIDAS at p = 2 ln d suffer from rounding or from its geometry? The algorithm as printed
// (Shalev-Shwartz & Tewari, Algorithm 3; logistic loss, no intercept, rows in file order), once
// with 53 bits, once with 64, once with 113, for a p that is asked for: if exact arithmetic helped,
// the last line would show it. Each line: bits, test error, mean loss on the training rows,
// non-zeros, and how far the weights are from those of 113 bits. Usage: bench_digits TRAIN TEST
// P|2ln ETA LAMBDA ROWS

#include <fmt/format.h>
#include <quadmath.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "thresh/thresh.hpp"

namespace {

using thresh::Row;
__extension__ using Quad = __float128;

Quad exp(Quad x) {
  return expq(x);
}
Quad log(Quad x) {
  return logq(x);
}
Quad fabs(Quad x) {
  return fabsq(x);
}
using std::exp;
using std::fabs;
using std::log;

struct Data {
  std::vector<thresh::BlockPtr> blocks;
  std::uint64_t dimension = 0;

  explicit Data(const std::string& path) {
    const thresh::Problem problem = thresh::open_problem(path);
    const thresh::Survey& survey = *problem.train->survey();
    for (std::size_t k = 0; k < survey.blocks; ++k) blocks.push_back(problem.train->block(k));
    dimension = survey.dimension;
  }
  template <class Work>
  void each(const Work& work) const {
    for (const auto& block : blocks) {
      for (std::size_t i = 0; i < block->rows(); ++i) work(block->row(i));
    }
  }
};

template <class Number>
struct Smidas {
  Number p, eta, lambda;
  std::vector<Number> theta;
  std::vector<std::uint32_t> active;
  Number log_norm = 0;

  Number weight(std::uint32_t j) const {
    if (theta[j] == 0) return 0;
    const Number size = exp(log_norm + (p - 1) * (log(fabs(theta[j])) - log_norm));
    return theta[j] > 0 ? size : -size;
  }
  Number margin(const Row& row) const {
    Number sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
      if (row.slots[i] < theta.size()) sum += weight(row.slots[i]) * Number(row.values[i]);
    }
    return sum;
  }
  void learn(const Row& row) {
    const Number y = row.label > 0 ? 1 : -1;
    const Number slope = -y / (1 + exp(y * margin(row)));
    for (std::size_t i = 0; i < row.size; ++i) {
      Number& t = theta[row.slots[i]];
      if (t == 0) active.push_back(row.slots[i]);
      t -= eta * slope * Number(row.values[i]);
    }
    std::size_t kept = 0;
    Number largest = 0;
    for (const std::uint32_t j : active) {
      const Number size = fabs(theta[j]) - eta * lambda;
      theta[j] = size <= 0 ? Number(0) : theta[j] > 0 ? size : -size;
      if (theta[j] == 0) continue;
      active[kept++] = j;
      if (size > largest) largest = size;
    }
    active.resize(kept);
    Number sum = 0;
    for (const std::uint32_t j : active) sum += exp(p * log(fabs(theta[j]) / largest));
    log_norm = kept == 0 ? Number(0) : log(largest) + log(sum) / p;
  }
};

template <class Number>
std::vector<Quad> run(const char* bits, const Data& train, const Data& test, double p, double eta,
                      double lambda, std::uint64_t rows, const std::vector<Quad>& truth) {
  Smidas<Number> model{p, eta, lambda, std::vector<Number>(train.dimension), {}};
  std::uint64_t seen = 0;
  while (seen < rows) {
    train.each([&](const Row& row) {
      if (seen++ < rows) model.learn(row);
    });
  }
  double loss = 0, errors = 0, count = 0, tests = 0, nonzeros = 0;
  train.each([&](const Row& row) {
    const double m = (row.label > 0 ? 1 : -1) * static_cast<double>(model.margin(row));
    loss += m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
    ++count;
  });
  test.each([&](const Row& row) {
    errors += (model.margin(row) > 0) != (row.label > 0);
    ++tests;
  });
  std::vector<Quad> weights(train.dimension);
  Quad apart = 0, size = 0;
  for (std::uint32_t j = 0; j < weights.size(); ++j) {
    weights[j] = static_cast<Quad>(model.weight(j));
    nonzeros += static_cast<double>(weights[j]) != 0;
    if (truth.empty()) continue;
    apart += (weights[j] - truth[j]) * (weights[j] - truth[j]);
    size += truth[j] * truth[j];
  }
  fmt::print(
      "p {:6.2f}  {:>8} bits  test error {:6.3f}%  loss {:.9f}  non-zeros {:6}  apart {}\n", p,
      bits, 100 * errors / tests, loss / count, nonzeros,
      truth.empty() ? "-" : fmt::format("{:.1e}", std::sqrt(static_cast<double>(apart / size))));
  return weights;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return fmt::print(stderr, "usage: bench_digits TRAIN TEST P ETA LAMBDA ROWS\n"), 2;
  const Data train(argv[1]), test(argv[2]);
  const std::string text = argv[3];
  const double p =
      text == "2ln" ? 2 * std::log(static_cast<double>(train.dimension)) : std::stod(text);
  const double eta = std::stod(argv[4]), lambda = std::stod(argv[5]);
  const std::uint64_t rows = std::stoull(argv[6]);
  const std::vector<Quad> truth = run<Quad>("113", train, test, p, eta, lambda, rows, {});
  run<long double>("64", train, test, p, eta, lambda, rows, truth);
  run<double>("53", train, test, p, eta, lambda, rows, truth);
}
