#include "xie/error_report.hpp"

#include <algorithm>

namespace thresh::experiments {
namespace {

// Where the error is looked at: those of the marks of a trace that are within the paper's bounds.
const std::vector<double> kMarks = {1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3,
                                    0.01, 0.02, 0.05, 0.1,  0.2,  0.4};

// Table 3 of the paper, for p = 2 ln d and 0.5 ln d.
struct PaperExponents {
  const char* task;
  double within[2], mean[2], deviation[2];
};
const std::vector<PaperExponents> kPaperExponents = {
    {"comp_vs_rec", {0.095, 1.000}, {-80.3, -12.7}, {23.6, 7.2}},
    {"comp_vs_sci", {0.258, 0.999}, {-69.8, -15.4}, {32.4, 7.1}},
    {"comp_vs_talk", {0.282, 0.996}, {-78.6, -17.2}, {43.1, 9.1}},
    {"sci_vs_rec", {0.381, 1.000}, {-63.6, -14.3}, {29.4, 6.1}},
    {"sci_vs_talk", {0.273, 1.000}, {-69.3, -16.0}, {26.9, 5.9}},
    {"rec_vs_talk", {0.347, 0.999}, {-68.4, -15.8}, {33.7, 7.5}},
    {"rcv1", {0.012, 0.998}, {-136.8, -26.3}, {32.6, 6.5}},
};

double mean(const std::vector<double>& values) {
  return spread_of(values).mean;
}

// The error when a run's support first reached a density. Null: it never did.
Json error_at(const Json& tested, double density) {
  for (std::size_t i = 0; i < tested.at("density").size(); ++i) {
    if (tested.at("density")[i].get<double>() >= density * (1 - 1e-9)) return tested.at("error")[i];
  }
  return nullptr;
}

std::vector<double> ends(const XieEntry& entry, const char* what) {
  std::vector<double> values;
  for (const Json& tested : entry.tested) values.push_back(tested.at(what).back());
  return values;
}

// The errors of all shuffles; none if one of them did not get so far.
std::vector<double> errors_at(const XieEntry& entry, double density) {
  std::vector<double> errors;
  for (const Json& tested : entry.tested) {
    const Json error = error_at(tested, density);
    if (error.is_null()) return {};
    errors.push_back(error);
  }
  return errors;
}

// Mean and deviation of these errors, as cells of a table. A single run has no deviation.
void add_cells(const std::vector<double>& errors, std::vector<Json>& row) {
  const Spread spread = spread_of(errors);
  row.push_back(errors.empty() ? Json(nullptr) : Json(spread.mean));
  row.push_back(errors.size() < 2 ? Json(nullptr) : Json(spread.deviation));
}

Series series_of(const XieEntry& entry) {
  Series series{entry.method->name, {}, {}};
  const auto add = [&](double density, double error) {
    series.x.push_back(100 * density);
    series.y.push_back(100 * error);
  };
  const double end = mean(ends(entry, "density"));
  for (const double mark : kMarks) {
    const std::vector<double> errors = errors_at(entry, mark);
    if (!errors.empty() && mark < end) add(mark, mean(errors));
  }
  add(end, mean(ends(entry, "error")));
  if (series.x.size() == 1) add(end, mean(ends(entry, "error")));  // a line has two ends
  return series;
}

Table error_table() {
  return {
      "errors",
      "Figure 5: test errors, mean over the shuffles",
      {"task", "solver", "at the bound", "chosen", "validation error", "error at 1% density",
       "its deviation", "error at 10% density", "its deviation", "error at 20% density",
       "its deviation", "density at the end", "its deviation", "error at the end", "its deviation"},
      {},
      {"task", "solver"}};
}

Table exponent_table() {
  return {"exponents",
          "Table 3: base-2 exponents of SMIDAS's weights",
          {"task", "method", "density", "within 51 of the largest", "its deviation over the seeds",
           "paper", "mean", "paper ", "deviation", "paper  "},
          {},
          {"task", "method"}};
}

// Means over the seeds; runs that ended without weights have none.
void add_exponents(const XieEntry& entry, Table& table) {
  const int which = entry.method->grid.ends_with("2ln") ? 0 : 1;
  const auto paper =
      std::find_if(kPaperExponents.begin(), kPaperExponents.end(),
                   [&](const PaperExponents& one) { return one.task == entry.task->name; });
  const auto found = [&](const char* what) {
    std::vector<double> values;
    for (const Json& tested : entry.tested) {
      if (tested.contains("exponents")) values.push_back(tested.at("exponents").at(what));
    }
    return values;
  };
  const auto mean_of = [&](const char* what) {
    const auto values = found(what);
    return values.empty() ? Json(nullptr) : Json(mean(values));
  };
  const auto theirs = [&](const double(PaperExponents::*what)[2]) {
    return paper == kPaperExponents.end() ? Json(nullptr) : Json(((*paper).*what)[which]);
  };
  table.rows.push_back(
      {entry.task->name, entry.method->name, mean(ends(entry, "density")), mean_of("within"),
       spread_of(found("within")).deviation, theirs(&PaperExponents::within), mean_of("mean"),
       theirs(&PaperExponents::mean), mean_of("deviation"), theirs(&PaperExponents::deviation)});
}

}  // namespace

void add_error_report(const std::vector<XieEntry>& entries, Report& report) {
  Table errors = error_table(), exponents = exponent_table();
  const XieTask* task = nullptr;
  for (const XieEntry& entry : entries) {
    if (entry.task != task) {
      task = entry.task;
      report.figures.push_back({"5-" + task->name,
                                "Figure 5: " + task->name,
                                "share of features with a weight (%)",
                                "test error (%)",
                                true,
                                true,
                                {}});
    }
    if (bound_word(*entry.method) == "stop")
      report.figures.back().series.push_back(series_of(entry));
    std::vector<Json> row = {
        task->name, entry.method->name, bound_word(*entry.method),
        as_words(entry.candidates[entry.chosen].settings),
        entry.candidates.size() > 1 ? Json(entry.errors[entry.chosen]) : Json(nullptr)};
    for (const double density : {0.01, 0.1, 0.2}) add_cells(errors_at(entry, density), row);
    add_cells(ends(entry, "density"), row);
    add_cells(ends(entry, "error"), row);
    errors.rows.push_back(std::move(row));
    if (entry.method->solver == "smidas") add_exponents(entry, exponents);
  }
  report.tables.push_back(std::move(errors));
  report.tables.push_back(std::move(exponents));
}

}  // namespace thresh::experiments
