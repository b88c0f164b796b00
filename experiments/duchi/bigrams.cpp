#include "duchi/bigrams.hpp"

#include <fmt/format.h>

#include "common/beyond.hpp"
#include "common/texts.hpp"
#include "duchi/online.hpp"
#include "duchi/repeats.hpp"

namespace thresh::experiments {
namespace {

// What is run: one look at each mail, steps eta / sqrt(t). As in the paper, the radius is the one
// with the best online loss; EG may also have other schedules. Radii and steps beyond these are
// tried while the best is at an end.
struct OnlineMethod {
  std::string name, solver, grid;
};
const std::vector<OnlineMethod> kMethods = {
    {"projected", "projected-sgd", "radius=300,1000,3000,10000 eta=10,100,1000"},
    {"EG", "eg", "radius=1000,3000,10000 eta=1,10,100 schedule=constant,sqrt,inverse"},
};
const std::string kBigrams = "enron-bigrams";
constexpr int kMostTimes = 3;
constexpr std::uint32_t kHashBits = 21;  // two million features, as many as the paper's bigrams

DataSet load_bigrams(const std::string& folder, std::uint64_t order) {
  TextOptions options;
  options.shortest = options.longest = 2;
  options.idf = false;
  options.hash_bits = kHashBits;
  const Texts mails = shuffled(read_enron(folder), order);
  return text_data(mails, {mails.size(), 0, 0}, options);
}

Series series_of(const std::string& name, const Json& curves, const char* what,
                 const char* relative_to = nullptr, double scale = 1) {
  Series series{name, {}, {}};
  for (std::size_t i = 0; i < curves.at("examples").size(); ++i) {
    const double whole = relative_to == nullptr ? 1 : number(curves.at(relative_to)[i]);
    series.x.push_back(curves.at("examples")[i]);
    series.y.push_back(number(curves.at(what)[i]) / whole / scale);
  }
  return series;
}

struct OnlineRun {
  Settings settings;
  Json curves;

  double end(const char* what) const { return number(curves.at(what).back()); }
  double error() const { return end("errors") / end("examples"); }
  double share_of_seen() const { return end("nonzeros") / end("seen"); }
};

// Every candidate of the grid.
std::vector<OnlineRun> learn_all(const Context& context, const OnlineMethod& method,
                                 const std::string& data = kBigrams) {
  std::vector<Axis> axes = parse_grid(method.grid, method.solver);
  if (context.quick) shorten(axes);
  Options base;
  base.solver = method.solver;
  base.intercept = false;
  const std::vector<Candidate> candidates = grid_candidates(base, axes);
  std::vector<Job> jobs;
  for (const Candidate& candidate : candidates) {
    jobs.push_back({job_name(context, fmt::format("{} online {}{}", data, method.solver,
                                                  as_grid(candidate.settings))),
                    [&context, &candidate, data] {
                      return learn_online(context.data.get(data), candidate.options);
                    }});
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  std::vector<OnlineRun> runs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    runs.push_back({candidates[i].settings, results[i]});
  }
  return runs;
}

// The one with the smallest sum of losses.
OnlineRun best_in(const std::vector<OnlineRun>& runs) {
  std::vector<double> losses;
  for (const OnlineRun& run : runs) losses.push_back(run.end("loss"));
  return runs[smallest_of(losses)];
}

// Every candidate. Changes the grid while the best is at its end.
std::vector<OnlineRun> learn_beyond(const Context& context, OnlineMethod& method) {
  for (int i = 0; i < kMostTimes; ++i) {
    const std::vector<OnlineRun> runs = learn_all(context, method);
    const OnlineRun best = best_in(runs);
    const std::string before = method.grid;
    for (const auto& [name, value] : best.settings) {
      if (context.quick || (name != "radius" && name != "eta")) continue;
      method.grid = grid_beyond(method.grid, name, value).value_or(method.grid);
    }
    if (method.grid == before) return runs;
  }
  return learn_all(context, method);
}

// The settings to repeat: the best, and the best of those whose projections made some weights zero.
std::vector<OnlineRun> to_repeat(const OnlineMethod& method, const std::vector<OnlineRun>& runs) {
  std::vector<OnlineRun> repeat = {best_in(runs)}, bound;
  for (const OnlineRun& run : runs) {
    if (method.solver != "eg" && run.share_of_seen() < 1) bound.push_back(run);
  }
  if (!bound.empty() && best_in(bound).settings != repeat.front().settings) {
    repeat.push_back(best_in(bound));
  }
  return repeat;
}

Table spread_table() {
  return {"online-spreads",
          "Figure 8: other orders of the mails, with settings of the table before",
          {"method", "settings", "orders", "sum of losses, mean", "deviation", "error, mean",
           "deviation", "share of those seen, mean", "deviation"},
          {}};
}

void add_spread(const Context& context, const OnlineMethod& method, const OnlineRun& first,
                Table& table) {
  std::vector<OnlineRun> runs = {first};
  const OnlineMethod chosen{method.name, method.solver, as_grid(first.settings)};
  for (std::uint64_t k = 2; k <= kRepetitionsOfBest; ++k) {
    const std::string data = repeated_data(kBigrams, k);
    if (context.data.has(data)) runs.push_back(learn_all(context, chosen, data).front());
  }
  std::vector<double> losses, errors, shares;
  for (const OnlineRun& run : runs) {
    losses.push_back(run.end("loss"));
    errors.push_back(run.error());
    shares.push_back(run.share_of_seen());
  }
  const Spread loss = spread_of(losses), error = spread_of(errors), share = spread_of(shares);
  table.rows.push_back({method.name, as_words(first.settings), runs.size(), loss.mean,
                        loss.deviation, error.mean, error.deviation, share.mean, share.deviation});
}

}  // namespace

std::vector<DataSpec> bigrams_data() {
  std::vector<DataSpec> data;
  for (std::uint64_t k = 1; k <= kRepetitionsOfBest; ++k) {
    data.push_back({repeated_data(kBigrams, k),
                    {kEnronFile},
                    [k](const std::string& folder) { return load_bigrams(folder, k); },
                    [k] { return make_data(corpus_rows(500, 2000, k)); }});
  }
  return data;
}

void add_bigrams(const Context& context, Report& report) {
  if (!context.data.has(kBigrams)) return;
  Figure loss{"8-loss",   "Figure 8, left: enron bigrams, online",
              "examples", "sum of logistic losses so far",
              true,       true,
              {}};
  Figure sparsity{"8-sparsity",
                  "Figure 8, right: enron bigrams, online",
                  "examples",
                  "share of features with a weight (%)",
                  true,
                  true,
                  {}};
  Table table{"online",
              "Figure 8: one look at each mail",
              {"method", "chosen", "sum of losses", "error", "non-zeros", "features seen",
               "share of all features", "share of those seen"},
              {}};
  Table all{"online-all",
            "Figure 8: every radius and step size",
            {"method", "settings", "sum of losses", "error", "non-zeros", "share of those seen"},
            {}};
  Table spreads = spread_table();
  const auto features = static_cast<double>(context.data.get(kBigrams).features);
  Json groups = Json::array();
  for (OnlineMethod method : kMethods) {
    const std::vector<OnlineRun> runs = learn_beyond(context, method);
    for (const OnlineRun& run : runs) {
      all.rows.push_back({method.name, as_words(run.settings), run.end("loss"), run.error(),
                          run.end("nonzeros"), run.share_of_seen()});
    }
    const OnlineRun best = best_in(runs);
    groups.push_back({{"name", method.name}, {"solver", method.solver}, {"grid", method.grid}});
    loss.series.push_back(series_of(method.name, best.curves, "loss"));
    sparsity.series.push_back(
        series_of(method.name + ", of all", best.curves, "nonzeros", nullptr, features / 100));
    sparsity.series.push_back(
        series_of(method.name + ", of those seen", best.curves, "nonzeros", "seen", 0.01));
    table.rows.push_back({method.name, as_words(best.settings), best.end("loss"), best.error(),
                          best.end("nonzeros"), best.end("seen"), best.end("nonzeros") / features,
                          best.share_of_seen()});
    for (const OnlineRun& run : to_repeat(method, runs)) add_spread(context, method, run, spreads);
  }
  report.options["8"] = groups;
  report.figures.push_back(std::move(loss));
  report.figures.push_back(std::move(sparsity));
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(all));
  report.tables.push_back(std::move(spreads));
}

}  // namespace thresh::experiments
