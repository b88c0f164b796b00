// Grids of training runs: what is to be trained on what, and what was recorded on the way.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/data.hpp"
#include "common/jobs.hpp"
#include "thresh/select.hpp"

namespace thresh::experiments {

// Runs of one solver: every data set with every combination of the grid, see parse_grid().
struct Group {
  std::string name;  // in legends and tables
  std::vector<std::string> data;
  std::string solver;
  std::string grid;
  Options base = {};  // what the grid has no words for
};

struct Plan {
  std::vector<Group> groups;
  std::vector<std::uint64_t> seeds = {1};
  std::uint64_t points = 100;  // of every curve, about
};

// One run of the plan and what it gave. Curves are by name: examples, accesses, seconds, objective,
// nonzeros, train_error and, where the data have rows to validate on, valid_error. A value that is
// not finite, of a run that diverged, is NaN.
struct Trained {
  std::string name, data, solver;
  Settings settings;
  std::uint64_t seed = 1;
  std::string status;
  std::uint64_t weighty = 0;  // weights at the end of at least a millionth of the largest
  std::map<std::string, std::vector<double>> curves;

  std::string setting(const std::string& option) const;  // "" if the grid does not say
  double number(const std::string& option) const { return std::stod(setting(option)); }
  const std::vector<double>& curve(const std::string& what) const { return curves.at(what); }
  double last(const std::string& what) const { return curve(what).back(); }
  Series series(const std::string& x, const std::string& y) const;
};

// Where an experiment runs.
struct Context {
  DataSets& data;
  bool quick = false;  // ends of the grids, few passes
  std::string work;    // folder of the jobs
};

// The name of a job that does this: whether it is a quick one and the version are part of it.
std::string job_name(const Context& context, const std::string& what);
// Settings as a grid has them: " eta=1 radius=3".
std::string as_grid(const Settings& settings);
// Settings for a reader: "eta 1, radius 3", without those that are the same for all candidates.
std::string as_words(const Settings& settings);

// For --quick: the ends of every axis, and short runs.
void shorten(std::vector<Axis>& axes);

// Runs the plan on the data sets that are there.
std::vector<Trained> train(const Context& context, const Plan& plan);
Json to_json(const Plan& plan);

// Those of one data set and with these settings; values are compared as they are written.
std::vector<Trained> select(const std::vector<Trained>& all, const std::string& data,
                            const Settings& settings = {}, const std::string& name = "");
// The one that ends with the smallest value; those that diverged last, whatever they had reached.
// Null if there are none.
const Trained* smallest(const std::vector<Trained>& all, const std::string& what);

}  // namespace thresh::experiments
