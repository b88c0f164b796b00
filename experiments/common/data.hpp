// Data sets of the experiments: read from the data folder, or small synthetic substitutes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "thresh/fit.hpp"

namespace thresh::experiments {

// Mutable rows in CSR form, with 0-based indices.
struct Rows {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint64_t> indices;
  std::vector<double> values;
  std::vector<double> labels;

  std::size_t size() const { return labels.size(); }
  void add(std::uint64_t index, double value) {
    indices.push_back(index);
    values.push_back(value);
  }
  void end_row(double label) {
    starts.push_back(indices.size());
    labels.push_back(label);
  }
};

Rows read_rows(const std::string& path, const ReadOptions& options = {});
// Normal features, true weights of which half are zero, and a tenth of the labels wrong. With
// `targets`: values with normal noise instead of labels (Duchi et al. 2008, section 7).
Rows gaussian_rows(std::uint64_t rows, std::uint64_t features, std::uint64_t seed,
                   bool targets = false);
// Rows like short texts: about 15 features each, of uneven frequency, unit length. A tenth of the
// features indicate one of the two classes.
Rows corpus_rows(std::uint64_t rows, std::uint64_t features, std::uint64_t seed);
// Divides every feature by its largest magnitude: into [-1, 1], without changing zeros.
void scale_features(Rows& rows);
// Shifts and scales each of the first `features` to fill [-1, 1], for dense data.
void stretch_features(Rows& rows, std::uint64_t features);
// Rows begin .. end-1.
Rows slice(const Rows& rows, std::size_t begin, std::size_t end);
// The first `count` rows, and the rest.
std::pair<Rows, Rows> split(const Rows& rows, std::size_t count);
// The order depends on the seed alone.
Rows shuffled(const Rows& rows, std::uint64_t seed);

struct DataSet {
  Problem problem;
  std::shared_ptr<RowSource> test;  // rows not used for any selection; may be null
  std::uint64_t rows = 0, features = 0, entries = 0;  // of the training rows
};
DataSet make_data(const Rows& train, const Rows& valid = {}, const Rows& test = {});

// The origin of a data set.
struct DataSpec {
  std::string name;
  std::vector<std::string> files;  // its files in the data folder
  std::function<DataSet(const std::string& folder)> load;
  std::function<DataSet()> stand_in;  // a small one of the same kind, for --quick
};

// The data sets of an experiment, each loaded on first use. Thread-safe.
class DataSets {
 public:
  // `quick` uses the stand-ins. With `only`, all other data sets count as missing.
  DataSets(std::vector<DataSpec> specs, std::string folder, bool quick,
           const std::vector<std::string>& only = {});

  bool has(const std::string& name) const;  // whether its files exist
  const std::vector<std::string>& missing() const { return missing_; }
  const DataSet& get(const std::string& name);

 private:
  const DataSpec& spec(const std::string& name) const;

  std::vector<DataSpec> specs_;
  std::string folder_;
  bool quick_;
  std::vector<std::string> missing_;  // names
  std::mutex mutex_;
  std::map<std::string, DataSet> loaded_;
};

}  // namespace thresh::experiments
