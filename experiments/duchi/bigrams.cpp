#include "duchi/bigrams.hpp"

#include <fmt/format.h>

#include "common/beyond.hpp"
#include "common/texts.hpp"
#include "duchi/online.hpp"

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

DataSet load_bigrams(const std::string& folder) {
  TextOptions options;
  options.shortest = options.longest = 2;
  options.idf = false;
  options.hash_bits = kHashBits;
  const Texts mails = shuffled(read_enron(folder), 1);
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

// The candidate with the smallest sum of losses.
struct Best {
  Settings settings;
  Json curves;
};

// Adds each candidate to the table, if there is one.
Best best_in_grid(const Context& context, const OnlineMethod& method, Table* all = nullptr) {
  std::vector<Axis> axes = parse_grid(method.grid, method.solver);
  if (context.quick) shorten(axes);
  Options base;
  base.solver = method.solver;
  base.intercept = false;
  const std::vector<Candidate> candidates = grid_candidates(base, axes);
  std::vector<Job> jobs;
  for (const Candidate& candidate : candidates) {
    jobs.push_back({job_name(context, fmt::format("{} online {}{}", kBigrams, method.solver,
                                                  as_grid(candidate.settings))),
                    [&context, &candidate] {
                      return learn_online(context.data.get(kBigrams), candidate.options);
                    }});
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  std::vector<double> losses;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto end = [&](const char* what) { return number(results[i].at(what).back()); };
    losses.push_back(end("loss"));
    if (all == nullptr) continue;
    all->rows.push_back({method.name, as_words(candidates[i].settings), losses.back(),
                         end("errors") / end("examples"), end("nonzeros"),
                         end("nonzeros") / end("seen")});
  }
  const std::size_t best = smallest_of(losses);
  return {candidates[best].settings, results[best]};
}

// Changes the grid if the best is at its end.
Best best_of(const Context& context, OnlineMethod& method) {
  for (int i = 0; i < kMostTimes; ++i) {
    const Best best = best_in_grid(context, method);
    const std::string before = method.grid;
    for (const auto& [name, value] : best.settings) {
      if (context.quick || (name != "radius" && name != "eta")) continue;
      method.grid = grid_beyond(method.grid, name, value).value_or(method.grid);
    }
    if (method.grid == before) return best;
  }
  return best_in_grid(context, method);
}

}  // namespace

DataSpec bigrams_data() {
  return {
      kBigrams, {kEnronFile}, load_bigrams, [] { return make_data(corpus_rows(500, 2000, 1)); }};
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
  const auto features = static_cast<double>(context.data.get(kBigrams).features);
  Json groups = Json::array();
  for (OnlineMethod method : kMethods) {
    const auto [settings, curves] = best_of(context, method);
    best_in_grid(context, method, &all);
    groups.push_back({{"name", method.name}, {"solver", method.solver}, {"grid", method.grid}});
    loss.series.push_back(series_of(method.name, curves, "loss"));
    sparsity.series.push_back(
        series_of(method.name + ", of all", curves, "nonzeros", nullptr, features / 100));
    sparsity.series.push_back(
        series_of(method.name + ", of those seen", curves, "nonzeros", "seen", 0.01));
    const auto end = [&curves = curves](const char* what) {
      return number(curves.at(what).back());
    };
    table.rows.push_back({method.name, as_words(settings), end("loss"),
                          end("errors") / end("examples"), end("nonzeros"), end("seen"),
                          end("nonzeros") / features, end("nonzeros") / end("seen")});
  }
  report.options["8"] = groups;
  report.figures.push_back(std::move(loss));
  report.figures.push_back(std::move(sparsity));
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(all));
}

}  // namespace thresh::experiments
