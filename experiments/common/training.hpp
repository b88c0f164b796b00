// Grids of training runs: what to train on which data, and the recorded results.
#pragma once

#include <algorithm>
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
  Options base = {};  // options that the grid does not set; of these, the order names the runs
  std::vector<std::uint64_t> seeds = {};  // none: those of the plan
  std::uint64_t points = 0;               // of every curve; 0: those of the plan
};

struct Plan {
  std::vector<Group> groups;
  std::vector<std::uint64_t> seeds = {1};
  std::uint64_t points = 100;  // of every curve, approximately
  std::string note = {};       // in the names of the runs: tells repetitions apart
  std::size_t threads = 0;     // runs at a time; 0: as many as there are cores
};

// One run of the plan and its results. Curves are by name: examples, accesses, seconds, objective,
// nonzeros, train_error and, if the data have validation rows, valid_error. Values that are not
// finite, because the run diverged, are NaN.
struct Trained {
  std::string name, data, solver;
  Settings settings;
  std::uint64_t seed = 1;
  std::string status;
  std::uint64_t weighty = 0;  // final weights of at least a millionth of the largest
  std::map<std::string, std::vector<double>> curves;

  std::string setting(const std::string& option) const;  // "" if not in the grid
  double number(const std::string& option) const { return std::stod(setting(option)); }
  const std::vector<double>& curve(const std::string& what) const { return curves.at(what); }
  double last(const std::string& what) const { return curve(what).back(); }
  Series series(const std::string& x, const std::string& y) const;
};

// Runs of one setting with several seeds as one: curves are means, point by point, as far as all of
// them go.
Trained mean_of(const std::vector<Trained>& runs);

// A number of each of several runs.
struct Spread {
  double mean = 0, deviation = 0, least = 0, most = 0;
};
// NaN throughout if there is none, or one is NaN.
Spread spread_of(const std::vector<double>& values);
Spread spread_of(const std::vector<Trained>& runs, const std::string& what);  // at their ends

// The environment of an experiment.
struct Context {
  DataSets& data;
  bool quick = false;  // ends of the grids, few passes
  std::string work;    // folder of the jobs
  Json saved = {};     // results of an earlier run whose choices are taken, see --tuned; or null
  std::vector<std::string> solvers = {};  // others are left out; none: all are run

  bool has_solver(const std::string& solver) const {
    return solvers.empty() || std::find(solvers.begin(), solvers.end(), solver) != solvers.end();
  }
};

// The name of a job, with the version and whether it is a quick one.
std::string job_name(const Context& context, const std::string& what);
// Settings in the syntax of a grid: " eta=1 radius=3".
std::string as_grid(const Settings& settings);
// Settings for a reader: "eta 1, radius 3", without passes, intercept and density.
std::string as_words(const Settings& settings);

// For --quick: the ends of every axis, and short runs.
void shorten(std::vector<Axis>& axes);

// Options for rows that are drawn with replacement.
Options drawn_rows();

// Runs the plan on the available data sets.
std::vector<Trained> train(const Context& context, const Plan& plan);
Json to_json(const Plan& plan);

// The runs on one data set with these settings; values are compared as text.
std::vector<Trained> select(const std::vector<Trained>& all, const std::string& data,
                            const Settings& settings = {}, const std::string& name = "");
// The run with the smallest final value. Runs that diverged come last, whatever they reached. Null
// if there are none.
const Trained* smallest(const std::vector<Trained>& all, const std::string& what);

}  // namespace thresh::experiments
