#include "common/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "data/read/memory_rows.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {
namespace {

void append(const RowBlock& block, const FeatureMap& features, Rows& rows) {
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const Row row = block.row(i);
    for (std::size_t k = 0; k < row.size; ++k) rows.add(features.id(row.slots[k]), row.values[k]);
    rows.end_row(row.label);
  }
}

void copy_row(const Rows& from, std::size_t i, Rows& to) {
  for (std::size_t k = from.starts[i]; k < from.starts[i + 1]; ++k) {
    to.add(from.indices[k], from.values[k]);
  }
  to.end_row(from.labels[i]);
}

}  // namespace

Rows read_rows(const std::string& path, const ReadOptions& options) {
  const auto features = make_feature_map();
  const auto source = open_rows(path, options, features);
  Rows rows;
  for (std::size_t k = 0; const BlockPtr block = source->block(k); ++k) {
    append(*block, *features, rows);
  }
  return rows;
}

Rows gaussian_rows(std::uint64_t rows, std::uint64_t features, std::uint64_t seed, bool targets) {
  Random random(seed);
  std::vector<double> truth(features);
  for (double& weight : truth) weight = random.uniform() < 0.5 ? 0 : random.normal();
  Rows made;
  for (std::uint64_t i = 0; i < rows; ++i) {
    double margin = 0;
    for (std::uint64_t j = 0; j < features; ++j) {
      const double value = random.normal();
      made.add(j, value);
      margin += truth[j] * value;
    }
    const bool positive = (margin > 0) == (random.uniform() < 0.9);
    made.end_row(targets ? margin + random.normal() : positive ? 1 : -1);
  }
  return made;
}

Rows corpus_rows(std::uint64_t rows, std::uint64_t features, std::uint64_t seed) {
  Random random(seed);
  Rows made;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const double label = i % 2 == 0 ? 1 : -1;
    std::set<std::uint64_t> terms;
    for (int k = 0; k < 15; ++k) {
      const double u = random.uniform();
      auto term = static_cast<std::uint64_t>(static_cast<double>(features) * u * u);
      // Terms that indicate a class come in pairs, one per class.
      if (term % 20 < 2) term = term - term % 20 + (label > 0 ? 0 : 1);
      terms.insert(std::min(term, features - 1));
    }
    for (const std::uint64_t term : terms) {
      made.add(term, 1 / std::sqrt(static_cast<double>(terms.size())));
    }
    made.end_row(label);
  }
  return made;
}

void scale_features(Rows& rows) {
  std::map<std::uint64_t, double> largest;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    double& size = largest[rows.indices[i]];
    size = std::max(size, std::fabs(rows.values[i]));
  }
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if (rows.values[i] != 0) rows.values[i] /= largest[rows.indices[i]];
  }
}

void stretch_features(Rows& rows, std::uint64_t features) {
  std::vector<std::vector<double>> dense(rows.size(), std::vector<double>(features, 0));
  std::vector<double> low(features, 1e300), high(features, -1e300);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      dense[i][rows.indices[k]] = rows.values[k];
    }
    for (std::uint64_t j = 0; j < features; ++j) {
      low[j] = std::min(low[j], dense[i][j]);
      high[j] = std::max(high[j], dense[i][j]);
    }
  }
  Rows stretched;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint64_t j = 0; j < features; ++j) {
      const double range = high[j] - low[j];
      if (range > 0) stretched.add(j, 2 * (dense[i][j] - low[j]) / range - 1);
    }
    stretched.end_row(rows.labels[i]);
  }
  rows = std::move(stretched);
}

Rows slice(const Rows& rows, std::size_t begin, std::size_t end) {
  Rows part;
  for (std::size_t i = begin; i < end; ++i) copy_row(rows, i, part);
  return part;
}

std::pair<Rows, Rows> split(const Rows& rows, std::size_t count) {
  return {slice(rows, 0, count), slice(rows, count, rows.size())};
}

Rows shuffled(const Rows& rows, std::uint64_t seed) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  shuffle(order.begin(), order.end(), random);
  Rows mixed;
  for (const std::size_t i : order) copy_row(rows, i, mixed);
  return mixed;
}

DataSet make_data(const Rows& train, const Rows& valid, const Rows& test) {
  DataSet data;
  data.problem.features = make_feature_map();
  data.problem.zero_based = true;
  const auto source = [&](const Rows& rows) {
    return memory_rows(rows.starts, rows.indices, rows.values, rows.labels, data.problem.features);
  };
  data.problem.train = source(train);
  if (valid.size() > 0) data.problem.valid = source(valid);
  if (test.size() > 0) data.test = source(test);
  data.rows = train.size();
  data.features = data.problem.train->survey()->dimension;
  data.entries = static_cast<std::uint64_t>(
      std::count_if(train.values.begin(), train.values.end(), [](double v) { return v != 0; }));
  return data;
}

DataSets::DataSets(std::vector<DataSpec> specs, std::string folder, bool quick,
                   const std::vector<std::string>& only)
    : specs_(std::move(specs)), folder_(std::move(folder)), quick_(quick) {
  for (const std::string& name : only) spec(name);
  for (const DataSpec& one : specs_) {
    const auto is_there = [&](const std::string& file) {
      return quick_ || std::filesystem::exists(folder_ + "/" + file);
    };
    const auto gone = std::find_if_not(one.files.begin(), one.files.end(), is_there);
    const bool wanted = only.empty() || std::find(only.begin(), only.end(), one.name) != only.end();
    if (wanted && gone == one.files.end()) continue;
    missing_.push_back(one.name);
    if (wanted) {
      fmt::print(stderr, "{} is left out: there is no {}/{}\n", one.name, folder_, *gone);
    }
  }
}

bool DataSets::has(const std::string& name) const {
  return std::find(missing_.begin(), missing_.end(), name) == missing_.end();
}

const DataSpec& DataSets::spec(const std::string& name) const {
  for (const DataSpec& spec : specs_) {
    if (spec.name == name) return spec;
  }
  throw UsageError("no data set is called " + name);
}

const DataSet& DataSets::get(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(name);
  if (found != loaded_.end()) return found->second;
  const DataSpec& wanted = spec(name);
  return loaded_.emplace(name, quick_ ? wanted.stand_in() : wanted.load(folder_)).first->second;
}

}  // namespace thresh::experiments
