// Data sets of the experiments: read from the data folder, or small ones made in their place.
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

// Rows that can be changed, in CSR form with 0-based indices.
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
// Normal features of a truth in which half the weights are zero, a tenth of the labels wrong; with
// targets instead of labels these have normal noise (Duchi et al. 2008, section 7).
Rows gaussian_rows(std::uint64_t rows, std::uint64_t features, std::uint64_t seed,
                   bool targets = false);
// Rows like short texts: of the features some 15 a row, rare ones less often, all of unit length; a
// tenth of the features speak for one of the two classes.
Rows corpus_rows(std::uint64_t rows, std::uint64_t features, std::uint64_t seed);
// Divides every feature by its largest magnitude: into [-1, 1], and zeros stay zeros.
void scale_features(Rows& rows);
// Moves and scales every one of the first `features` so that it fills [-1, 1]: for dense data.
void stretch_features(Rows& rows, std::uint64_t features);
// Rows begin to end, without the last.
Rows slice(const Rows& rows, std::size_t begin, std::size_t end);
// The first `count` rows, and the others.
std::pair<Rows, Rows> split(const Rows& rows, std::size_t count);
// In an order that depends on the seed alone.
Rows shuffled(const Rows& rows, std::uint64_t seed);

struct DataSet {
  Problem problem;
  std::shared_ptr<RowSource> test;  // rows that take no part in any choice; may be null
  std::uint64_t rows = 0, features = 0, entries = 0;  // of the training rows
};
DataSet make_data(const Rows& train, const Rows& valid = {}, const Rows& test = {});

// Where a data set comes from.
struct DataSpec {
  std::string name;
  std::vector<std::string> files;  // of the data folder, that it is made from
  std::function<DataSet(const std::string& folder)> load;
  std::function<DataSet()> stand_in;  // a small one of the same kind, for --quick
};

// The data sets of an experiment, each loaded when it is first asked for, by any thread.
class DataSets {
 public:
  // With `quick` the stand-ins.
  DataSets(std::vector<DataSpec> specs, std::string folder, bool quick);

  bool has(const std::string& name) const;  // its files are there
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
