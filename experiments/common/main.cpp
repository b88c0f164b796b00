// experiment NAME: repeats the experiment of a paper. See docs/experiments/README.md.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "common/experiment.hpp"
#include "common/merge.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"

namespace {

using namespace thresh;
using namespace thresh::experiments;

struct Arguments {
  std::string name;
  bool quick = false;
  std::string data, work, results, figures, tuned;
  std::vector<std::string> only, solvers;
  std::size_t jobs = 0;
};

const std::vector<Experiment>& all() {
  static const std::vector<Experiment> experiments = {dhingra(), duchi(), shalev_shwartz(), xie()};
  return experiments;
}

std::string default_data() {
  const char* folder = std::getenv("THRESH_DATA");
  return folder != nullptr ? folder : "../shared/data";
}

// Separates results of --quick from the saved ones.
void fill_in(Arguments& arguments) {
  const std::string& name = arguments.name;
  const std::string build = "build/experiments/" + name + (arguments.quick ? "-quick" : "");
  const auto set = [](std::string& path, const std::string& value) {
    if (path.empty()) path = value;
  };
  set(arguments.data, default_data());
  set(arguments.work, build + "/work");
  set(arguments.results, arguments.quick ? build : "experiments/" + name + "/results");
  set(arguments.figures, arguments.quick ? build : "docs/experiments/figures");
}

// Null without a path.
Json saved_results(const std::string& path) {
  if (path.empty()) return nullptr;
  std::ifstream in(path);
  const Json saved = Json::parse(in, nullptr, false);
  if (saved.is_discarded() || saved.value("kind", "") != "experiment") {
    throw Error(path + ": not the results.json of an experiment");
  }
  return saved;
}

int run(const Experiment& experiment, const Arguments& arguments) {
  const ThreadLimit limit(arguments.jobs);
  for (const std::string& solver : arguments.solvers) {
    const auto& known = experiment.solvers;
    if (std::find(known.begin(), known.end(), solver) != known.end()) continue;
    throw UsageError(
        fmt::format("--solvers: {} cannot be run alone in {}", solver, experiment.name));
  }
  DataSets data(experiment.data, arguments.data, arguments.quick, arguments.only);
  if (data.missing().size() == experiment.data.size()) {
    throw Error(fmt::format("{}: none of the data sets is here (set THRESH_DATA to their folder)",
                            arguments.data));
  }
  const Context context{data, arguments.quick, arguments.work, saved_results(arguments.tuned),
                        arguments.solvers};
  Report report = experiment.run(context);
  if (!context.saved.is_null()) add_saved(context.saved, !context.solvers.empty(), report);
  write(experiment, report, arguments.results, arguments.figures);
  fmt::print("{}: results are in {}, figures in {}\n", experiment.name, arguments.results,
             arguments.figures);
  for (const std::string& name : data.missing()) fmt::print("left out: {}\n", name);
  return 0;
}

int fail(int code, const std::string& message) {
  fmt::print(stderr, "experiment: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Repeats the experiments of a paper.", "experiment");
  Arguments arguments;
  std::vector<std::string> names;
  for (const Experiment& experiment : all()) names.push_back(experiment.name);
  app.add_option("NAME", arguments.name)->required()->check(CLI::IsMember(names));
  app.add_flag("--quick", arguments.quick, "small generated data and short runs, as a test");
  app.add_option("--data", arguments.data, "folder of the data (THRESH_DATA or ../shared/data)");
  app.add_option("--only", arguments.only,
                 "names of data sets, separated by commas; others are left out")
      ->delimiter(',');
  app.add_option("--solvers", arguments.solvers,
                 "names of solvers, separated by commas; others are left out (Figure 5 of xie)")
      ->delimiter(',');
  app.add_option("--jobs", arguments.jobs, "runs at a time (0: one per core)");
  app.add_option("--tuned", arguments.tuned,
                 "results.json of an earlier run: take the values that it chose (xie, and Figures "
                 "4-7 of duchi)");
  app.add_option("--work", arguments.work, "folder of finished runs, for going on later");
  app.add_option("--results", arguments.results, "where results.json and tables go");
  app.add_option("--figures", arguments.figures, "where figures go");
  try {
    app.parse(argc, argv);
    fill_in(arguments);
    for (const Experiment& experiment : all()) {
      if (experiment.name == arguments.name) return run(experiment, arguments);
    }
    return 0;
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return fail(2, error.what());
  } catch (const UsageError& error) {
    return fail(2, error.what());
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}
