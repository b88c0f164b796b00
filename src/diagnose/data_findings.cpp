#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/feed/labels.hpp"
#include "data/names/label_names.hpp"
#include "diagnose/findings.hpp"

namespace thresh {
namespace {

constexpr double kFarFactor = 10;  // a row this much longer or shorter than the median is unusual
constexpr double kWideSpread = 1000;  // between scales of features

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

DiagnosisLine rows(const Survey& survey, const Overview& all) {
  DiagnosisLine f{"rows", {{"rows", all.rows}, {"nonzeros", all.entries}}};
  f.text = fmt::format("{} rows, {} non-zeros", all.rows, all.entries);
  f.normal = "more rows than the model has features, preferably ten times as many";
  if (survey.bad_rows > 0) {
    f.value["bad_rows"] = survey.bad_rows;
    f.text += fmt::format(", {} bad rows left out", survey.bad_rows);
  }
  return f;
}

DiagnosisLine features(const Survey& survey, const Overview& all) {
  const auto once = static_cast<std::uint64_t>(std::count_if(
      all.slots.begin(), all.slots.end(), [&](auto slot) { return all.columns[slot].count == 1; }));
  DiagnosisLine f{
      "features",
      {{"dimension", survey.dimension}, {"occurring", all.slots.size()}, {"once", once}}};
  f.text = fmt::format("{} of {} features occur, {:.3g}% of them in one row only", all.slots.size(),
                       survey.dimension, 100 * share(once, all.slots.size()));
  f.normal = "in text about half of the words occur once; in measurements none should";
  if (share(once, all.slots.size()) > 0.5 && all.rows > 1) {
    f.advice =
        "features that occur in one row only cannot be learned; use --features K, or --min-df 2 "
        "for texts";
  }
  return f;
}

DiagnosisLine nonzeros_per_row(const Overview& all, bool table) {
  const double mean = share(all.entries, all.rows);
  // A quantile is the middle of its bin, which may exceed all numbers in the bin.
  const double median =
      all.row_sizes.total() == 0
          ? 0
          : std::min(std::exp2(all.row_sizes.quantile(0.5)), static_cast<double>(all.most_entries));
  DiagnosisLine f{"nonzeros_per_row",
                  {{"mean", mean},
                   {"median", median},
                   {"most", all.most_entries},
                   {"empty_rows", all.empty_rows}}};
  f.text =
      fmt::format("non-zeros per row: mean {:.4g}, median about {:.3g}, most {}; {} empty rows",
                  mean, median, all.most_entries, all.empty_rows);
  f.normal = "no empty rows; the longest row within some hundred times the median";
  const double dense = share(all.entries, all.rows * std::max<std::uint64_t>(1, all.slots.size()));
  if (all.empty_rows > 0) {
    f.advice = "the intercept alone predicts empty rows; check why they have no features";
  } else if (dense > 0.5 && all.slots.size() > 1 && !table) {
    f.advice = fmt::format(
        "{:.3g}% of the matrix is non-zero: prefer solvers that go through columns (cd, l1) to "
        "those that rely on sparse rows",
        100 * dense);
  }
  return f;
}

DiagnosisLine labels(const Survey& survey) {
  DiagnosisLine f{"labels", nlohmann::json::array()};
  f.normal = "two or a few classes, none below some per cent of the rows";
  if (survey.more_labels) {
    f.text = fmt::format("more than {} different labels", Survey::kMaxLabels);
    f.advice = "too many labels for classes; use --task regression";
    return f;
  }
  std::uint64_t fewest = survey.rows;
  std::string parts;
  for (const LabelCount& count : survey.labels) {
    const std::string label = label_text(survey.label_names, count.label);
    f.value.push_back({{"label", label}, {"rows", count.rows}});
    fewest = std::min(fewest, count.rows);
    if (f.value.size() <= 10) {
      parts += fmt::format(", {}: {} rows ({:.3g}%)", label, count.rows,
                           100 * share(count.rows, survey.rows));
    }
  }
  f.text = fmt::format("{} labels{}{}", survey.labels.size(), parts,
                       survey.labels.size() > 10 ? ", ..." : "");
  if (survey.labels.size() < 2) {
    f.advice = "classification needs at least two labels";
  } else if (look_like_values(survey)) {
    f.advice =
        "there are many classes; if the labels are numbers to predict, use --task regression";
  } else if (share(fewest, survey.rows) < 0.05) {
    f.advice =
        "use --class-weight balanced to give rare classes more weight; judge by F1 or AUC, not by "
        "error";
  }
  return f;
}

DiagnosisLine scale_spread(const Overview& all, bool table) {
  LogHistogram scales;
  for (const std::uint32_t slot : all.slots) scales.add(std::log2(all.columns[slot].largest));
  const double top = scales.total() == 0 ? 0 : std::log2(all.largest);
  const double low = std::min(scales.quantile(0.01), top);
  const double high = std::min(scales.quantile(0.99), top);
  DiagnosisLine f{"scale_spread",
                  {{"log2_low", low}, {"log2_high", high}, {"largest", all.largest}}};
  f.text = fmt::format(
      "largest values of features: 98% of them within a factor of {:.3g} (2^{:.1f} to 2^{:.1f}), "
      "the largest of all {:.4g}",
      std::exp2(high - low), low, high, all.largest);
  f.normal = "a factor below 100, and values around 1";
  const bool wide = high - low > std::log2(kWideSpread);
  if (table && (wide || all.largest > 1e3)) {
    f.advice =
        "the default solver brings the columns of a table to one scale; for l1, cd and path use "
        "--scale standard";
  } else if (wide) {
    f.advice =
        "a penalty or a budget favours features with large values; train with --scale max, which "
        "brings features to one scale, or use a solver with a step size per feature (cd, scd, "
        "ftrl)";
  } else if (all.largest > 1e3) {
    f.advice = "use --normalize l2, or smaller steps: a step of 0.1 suits values around 1";
  }
  return f;
}

DiagnosisLine constant_columns(const Overview& all, const NamedFacts& named) {
  const std::uint64_t count = all.constant_columns();
  DiagnosisLine f{"constant_columns", count};
  f.text = fmt::format("{} features have the same value in every row", count);
  f.normal = "none; the intercept already is such a feature";
  if (count == 0 || all.rows <= 1) return f;
  f.advice = "leave them out: they only share the intercept's weight, and are penalised for it";
  if (!named.table()) return f;
  std::vector<std::string> names;
  for (const std::uint32_t slot : all.slots) {
    const ColumnStats& column = all.columns[slot];
    if (column.count == all.rows && !column.varies) names.push_back(named.name_of(slot));
  }
  constexpr std::size_t kShown = 5;
  const bool more = names.size() > kShown;
  names.resize(std::min(kShown, names.size()));
  f.text += fmt::format(": {}{}", fmt::join(names, ", "), more ? ", ..." : "");
  f.advice = "leave these columns out (--ignore): they tell nothing";
  return f;
}

DiagnosisLine duplicate_columns(const Overview& all, bool table) {
  const std::uint64_t count = all.duplicate_columns();
  DiagnosisLine f{"duplicate_columns", count};
  f.text = fmt::format("{} features equal another one in every row ({:.3g}%)", count,
                       100 * share(count, all.slots.size()));
  f.normal = "none in measurements; in text rare words that occur together, up to a third";
  if (count > 0) {
    f.advice =
        "a model picks arbitrarily among equal features; interpret weights with care, or drop the "
        "copies";
    f.advice += table ? " (--ignore)" : " (--min-df 2 for texts)";
  }
  return f;
}

DiagnosisLine outlier_rows(const Overview& all, bool table) {
  const double median = std::min(all.row_lengths.quantile(0.5), all.longest);
  const double far = std::log2(kFarFactor);
  const std::uint64_t longer = all.row_lengths.above(median + far);
  const std::uint64_t shorter = all.row_lengths.below(median - far);
  DiagnosisLine f{"outlier_rows", {{"longer", longer}, {"shorter", shorter}}};
  f.normal = "no such rows";
  if (all.row_lengths.total() == 0) {
    f.text = "all rows are empty or zero";
    return f;
  }
  f.value["log2_median_length"] = median;
  f.value["log2_longest"] = all.longest;
  f.value["longest_row"] = all.longest_row + 1;
  f.text = fmt::format(
      "rows 10 times as long (|x|) as the median of about {:.3g}: {}; a tenth of it: {}; the "
      "longest, row {}, is {:.3g} times as long",
      std::exp2(median), longer, shorter, all.longest_row + 1, std::exp2(all.longest - median));
  if (longer + shorter > 0 && table) {
    f.advice = "one long row can outweigh all others; check these rows for wrong units or typing";
  } else if (longer + shorter > 0) {
    f.advice = "one long row can outweigh all others; use --normalize l2, or check these rows";
  }
  return f;
}

DiagnosisLine label_noise(const Survey& survey, const Overview& all, bool table) {
  const Twins::Counts twins = all.twins.counts();
  DiagnosisLine f{"label_noise", nullptr};
  f.normal = "0%; any model's error on such rows is at least this share";
  if (survey.more_labels || twins.copies == 0) {
    f.text = survey.more_labels ? "label noise: not estimated, because there are too many labels"
                                : "label noise: no row has an exact copy, so none can disagree";
    return f;
  }
  const double noise = share(twins.outvoted, twins.copies);
  f.value = {{"rows_with_copies", twins.copies},
             {"outvoted", twins.outvoted},
             {"share", noise},
             {"share_of_rows_followed", twins.share_followed}};
  f.text = fmt::format(
      "label noise: of {} rows that have exact copies, {} ({:.3g}%) have another label than most "
      "of their copies",
      twins.copies, twins.outvoted, 100 * noise);
  if (twins.share_followed < 1) {
    f.text += fmt::format(" (estimated from {:.3g}% of the rows)", 100 * twins.share_followed);
  }
  if (noise > 0.01) f.advice = "do not train to zero error: hold rows out, or tune the penalty";
  if (share(twins.copies, twins.rows) > 0.1) {
    f.advice += std::string(f.advice.empty() ? "" : "; ") +
                "many copies: split so that copies stay on one side, or the test set contains "
                "training rows" +
                (table ? " (--group COL)" : "");
  }
  return f;
}

}  // namespace

Section data_findings(const Survey& survey, const Overview& all, const NamedFacts& named,
                      const Targets* targets) {
  const bool table = named.table();
  Section section{"data", "Data", {}};
  section.findings = {rows(survey, all), features(survey, all), nonzeros_per_row(all, table)};
  if (table) {
    section.findings.push_back(table_columns(named));
    section.findings.push_back(far_cells(all, named));
  }
  section.findings.push_back(targets != nullptr ? far_targets(*targets) : labels(survey));
  const std::vector<DiagnosisLine> more = {scale_spread(all, table), constant_columns(all, named),
                                           duplicate_columns(all, table), outlier_rows(all, table)};
  section.findings.insert(section.findings.end(), more.begin(), more.end());
  if (targets == nullptr) section.findings.push_back(label_noise(survey, all, table));
  return section;
}

}  // namespace thresh
