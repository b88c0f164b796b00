// Features without information, added to given data as papers did.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "thresh/convert.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/generate.hpp"
#include "thresh/rows.hpp"

namespace thresh {

constexpr double kSparseShare = 0.05;  // of rows in which a sparse feature is 1
constexpr double kOften = 0.05;        // a feature takes part if it is not 0 in so many rows

struct NoiseFeatures::State {
  NoiseOptions options;
  Random random;
};
NoiseFeatures::NoiseFeatures(const NoiseOptions& options)
    : state_(new State{options, Random(options.seed)}) {}
NoiseFeatures::~NoiseFeatures() = default;

void NoiseFeatures::draw(const std::function<void(uint64_t, double)>& add) {
  for (uint64_t j = 0; j < state_->options.features; ++j) {
    const double u = state_->random.uniform();
    if (state_->options.dense) {
      add(j, u < 0.5 ? -1 : 1);
    } else if (u < kSparseShare) {
      add(j, 1);
    }
  }
}

struct ProbeRecipe::State {
  using Pair = std::pair<std::size_t, std::size_t>;  // twice the same: the feature itself
  std::vector<Pair> features;
  std::vector<std::size_t> order;  // of features and, behind them, their probes
  Random random;
};
ProbeRecipe::~ProbeRecipe() = default;

ProbeRecipe::ProbeRecipe(const DenseColumns& train, uint64_t informative, uint64_t seed)
    : state_(new State{{}, {}, Random(seed)}) {
  std::vector<std::size_t> often;
  for (std::size_t j = 0; j < train.size(); ++j) {
    const auto& column = train[j];
    const auto set = column.size() - std::count(column.begin(), column.end(), 0.0);
    if (static_cast<double>(set) >= kOften * static_cast<double>(column.size())) often.push_back(j);
  }
  const std::size_t pairs = often.size() * (often.empty() ? 0 : often.size() - 1) / 2;
  if (informative > often.size() + pairs) {
    throw UsageError(
        fmt::format("only {} features are non-zero in at least 5% of the rows; with their products "
                    "they give {} features, not {}",
                    often.size(), often.size() + pairs, informative));
  }
  for (const std::size_t j : often) state_->features.emplace_back(j, j);
  std::set<State::Pair> taken;
  while (state_->features.size() < informative) {
    const std::size_t a = often[state_->random.below(often.size())];
    const std::size_t b = often[state_->random.below(often.size())];
    if (a < b && taken.emplace(a, b).second) state_->features.emplace_back(a, b);
  }
  state_->order.resize(2 * state_->features.size());
  std::iota(state_->order.begin(), state_->order.end(), std::size_t{0});
  shuffle(state_->order.begin(), state_->order.end(), state_->random);
}

DenseColumns ProbeRecipe::apply(const DenseColumns& rows) {
  DenseColumns columns;
  for (const auto& [a, b] : state_->features) {
    auto& column = columns.emplace_back(rows.at(a));
    for (std::size_t i = 0; i < column.size() && a != b; ++i) column[i] *= rows.at(b)[i];
  }
  for (std::size_t j = 0; j < state_->features.size(); ++j) {
    std::vector<double> probe = columns[j];
    shuffle(probe.begin(), probe.end(), state_->random);
    columns.push_back(std::move(probe));
  }
  DenseColumns ordered;
  for (const std::size_t j : state_->order) ordered.push_back(std::move(columns[j]));
  return ordered;
}

void ProbeRecipe::skip(std::size_t rows) {
  std::vector<char> probe(rows);
  for (std::size_t j = 0; j < state_->features.size(); ++j) {
    shuffle(probe.begin(), probe.end(), state_->random);
  }
}

namespace {

struct DenseRows {
  DenseColumns columns;
  std::vector<double> labels;
};

// Column j is the feature with index j + 1; as many columns as `at_least`.
DenseRows read_dense(const std::string& path, const ReadOptions& read, std::size_t at_least) {
  const auto features = make_feature_map();
  const auto rows = open_rows(path, read, features);
  const Survey& survey = *rows->survey();
  DenseRows dense;
  dense.columns.assign(std::max<std::size_t>(at_least, survey.dimension),
                       std::vector<double>(survey.rows));
  visit_rows(rows, [&](const RowsRead& part) {
    for (const Row& row : part.rows) {
      for (std::size_t k = 0; k < row.size; ++k) {
        dense.columns[features->id(row.slots[k])][dense.labels.size()] = row.values[k];
      }
      dense.labels.push_back(row.label);
    }
  });
  return dense;
}

void append(std::string& line, uint64_t index, double value) {
  fmt::format_to(std::back_inserter(line), " {}:{}", index, value);
}

}  // namespace

Converted add_noise(const NoiseOptions& noise, const std::string& data,
                    const std::string& rows_path, const ReadOptions& options) {
  const auto features = make_feature_map(options.dim);
  ReadOptions read = options;
  if (format_of(data, options.format) != Format::libsvm) read.vocabulary = make_vocabulary(0);
  const auto rows = open_rows(data, read, features);
  const uint64_t behind = rows->survey()->dimension;
  NoiseFeatures drawn(noise);
  Converted made{0, behind + noise.features, false, false};
  AtomicFile file(rows_path);
  visit_rows(rows, [&](const RowsRead& part) {
    if (options.stop != nullptr && *options.stop) throw Interrupted(data + ": interrupted");
    for (const Row& row : part.rows) {
      std::string line = fmt::format("{}", row.label);
      for (std::size_t k = 0; k < row.size; ++k) {
        append(line, features->id(row.slots[k]) + 1, row.values[k]);
      }
      drawn.draw([&](uint64_t j, double value) { append(line, behind + j + 1, value); });
      file.write(line + "\n");
      ++made.rows;
    }
  });
  file.commit();
  return made;
}

Converted add_probes(const ProbeOptions& probes, const std::string& data,
                     const std::string& rows_path, const ReadOptions& options) {
  const bool other = !probes.chosen_on.empty();
  const std::string& first = other ? probes.chosen_on : data;
  if (format_of(first, options.format) != Format::libsvm ||
      format_of(data, options.format) != Format::libsvm) {
    throw UsageError("--probes needs libsvm rows, whose features have numbers");
  }
  DenseRows rows = read_dense(first, options, 0);
  ProbeRecipe recipe(rows.columns, probes.informative, probes.seed);
  if (other) {
    recipe.skip(rows.labels.size());
    rows = read_dense(data, options, rows.columns.size());
  }
  const DenseColumns columns = recipe.apply(rows.columns);
  AtomicFile file(rows_path);
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    std::string line = fmt::format("{}", rows.labels[i]);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j][i] != 0) append(line, j + 1, columns[j][i]);
    }
    file.write(line + "\n");
  }
  file.commit();
  return {rows.labels.size(), columns.size(), false, false};
}

}  // namespace thresh
