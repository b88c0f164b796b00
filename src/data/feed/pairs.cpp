#include "data/feed/pairs.hpp"

#include <fmt/format.h>

#include <tsl/robin_set.h>
#include <algorithm>
#include <cmath>

#include "data/read/sources.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {

FeaturePairs::FeaturePairs(std::uint64_t features, std::vector<Pair> pairs)
    : features_(features), pairs_(std::move(pairs)) {
  places_.reserve(pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    places_.emplace(code(pairs_[i].first, pairs_[i].second), static_cast<std::uint32_t>(i));
  }
}

namespace {

using Places = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Rows with pairs have many entries, so blocks of few rows hold as much as blocks of many.
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 20;

// Some rows of a block of the data: a block here.
struct Stretch {
  std::size_t block, begin, end;
};

// The ids of a row's features that training knows, and where its values are.
void known_ids(const Row& row, const FeatureMap& features, std::uint64_t end,
               std::vector<std::uint64_t>& ids) {
  ids.clear();
  for (std::size_t i = 0; i < row.size; ++i) {
    const std::uint64_t id = features.id(row.slots[i]);
    if (id >= end) break;  // ids ascend
    ids.push_back(id);
  }
}

class PairedSource : public RowSource {
 public:
  PairedSource(std::shared_ptr<RowSource> inner, PairRule rule,
               std::shared_ptr<const FeaturePairs> pairs, std::shared_ptr<FeatureMap> features,
               std::vector<Stretch> stretches)
      : inner_(std::move(inner)),
        rule_(std::move(rule)),
        pairs_(std::move(pairs)),
        features_(std::move(features)),
        stretches_(std::move(stretches)),
        survey_(*inner_->survey()) {
    survey_.blocks = stretches_.size();
    survey_.dimension = pairs_->id_end();
  }

  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return inner_->name(); }

  BlockPtr block(std::size_t k) override {
    if (k >= stretches_.size()) return nullptr;
    const Stretch& stretch = stretches_[k];
    const BlockPtr from = inner_->block(stretch.block);
    auto out = std::make_shared<RowBlock>();
    out->dimension = pairs_->id_end();
    if (stretch.begin == 0) {
      out->source_bytes = from->source_bytes;
      out->bad_rows = from->bad_rows;
    }
    std::vector<std::uint64_t> ids;
    Places places;
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      const Row row = from->row(i);
      known_ids(row, *features_, pairs_->features(), ids);
      rule_.pairs_of(ids, places);
      for (std::size_t e = 0; e < ids.size(); ++e) add(row.slots[e], row.values[e], *out);
      for (const auto& [a, b] : places) {
        const auto id = pairs_->id(ids[a], ids[b]);
        const double value = row.values[a] * row.values[b];
        if (!id || value == 0) continue;
        if (!std::isfinite(value)) refuse(*from, i, row.values[a], row.values[b]);
        add(features_->slot(*id), value, *out);
      }
      copy_row(*from, i, *out);
    }
    return out;
  }

 private:
  static void add(std::uint32_t slot, double value, RowBlock& out) {
    out.slots.push_back(slot);
    out.values.push_back(value);
    out.slot_end = std::max(out.slot_end, std::uint64_t{slot} + 1);
  }

  static void copy_row(const RowBlock& from, std::size_t i, RowBlock& out) {
    out.starts.push_back(out.slots.size());
    out.labels.push_back(from.labels[i]);
    out.ids.push_back(from.ids[i]);
    if (!from.weights.empty()) out.weights.push_back(from.weights[i]);
    if (!from.lines.empty()) out.lines.push_back(from.lines[i]);
    if (!from.names.empty()) out.names.push_back(from.names[i]);
  }

  [[noreturn]] void refuse(const RowBlock& from, std::size_t i, double a, double b) const {
    const std::string place =
        from.lines.empty() ? fmt::format("row {}", from.ids[i] + 1) : fmt::to_string(from.lines[i]);
    throw Error(
        fmt::format("{}:{}: the product of {} and {}, which --interactions asks for, is not "
                    "finite",
                    inner_->name(), place, a, b));
  }

  std::shared_ptr<RowSource> inner_;
  PairRule rule_;
  std::shared_ptr<const FeaturePairs> pairs_;
  std::shared_ptr<FeatureMap> features_;
  std::vector<Stretch> stretches_;
  Survey survey_;
};

// Goes over all rows once: cuts them into blocks, and collects pairs if asked to.
class PairSurvey {
 public:
  PairSurvey(RowSource& rows, const PairRule& rule, const FeatureMap& features,
             std::uint64_t known_end, bool collect)
      : rule_(rule), features_(features), end_(known_end), collects_(collect) {
    for (std::size_t k = 0; k < rows.survey()->blocks; ++k) add(k, *rows.block(k));
  }

  std::vector<Stretch> stretches() { return std::move(stretches_); }
  std::vector<FeaturePairs::Pair> sorted() {
    std::vector<std::uint64_t> codes(codes_.begin(), codes_.end());
    codes_ = {};
    std::sort(codes.begin(), codes.end());
    std::vector<FeaturePairs::Pair> pairs;
    pairs.reserve(codes.size());
    for (const std::uint64_t code : codes) {
      pairs.emplace_back(code >> 32, code & (FeaturePairs::kEnd - 1));
    }
    return pairs;
  }

 private:
  struct Hash {
    std::size_t operator()(std::uint64_t code) const { return mix(code); }
  };

  void add(std::size_t k, const RowBlock& block) {
    std::size_t begin = 0;
    std::uint64_t entries = 0;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      known_ids(block.row(i), features_, end_, ids_);
      rule_.pairs_of(ids_, places_);
      entries += ids_.size() + places_.size();
      if (collects_) collect();
      if (entries < kMostEntries && i + 1 < block.rows()) continue;
      stretches_.push_back({k, begin, i + 1});
      begin = i + 1;
      entries = 0;
    }
    // Bad rows are counted even where all are bad.
    if (block.rows() == 0) stretches_.push_back({k, 0, 0});
  }

  void collect() {
    for (const auto& [a, b] : places_) codes_.insert(FeaturePairs::code(ids_[a], ids_[b]));
    if (codes_.size() >= FeatureMap::kUnknown) throw Error("more than four billion pairs");
  }

  const PairRule& rule_;
  const FeatureMap& features_;
  std::uint64_t end_;
  bool collects_;
  std::vector<Stretch> stretches_;
  std::vector<std::uint64_t> ids_;
  Places places_;
  tsl::robin_set<std::uint64_t, Hash> codes_;
};

// Rows are read once for each block of their pairs, so those of small data stay in memory.
std::shared_ptr<RowSource> at_hand(std::shared_ptr<RowSource> rows) {
  constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;
  return held_in_memory(std::move(rows), kMemory);
}

}  // namespace

PairedRows with_pairs(std::shared_ptr<RowSource> rows, const PairRule& rule,
                      const std::shared_ptr<FeatureMap>& features, const ReadOptions& options) {
  rows = at_hand(std::move(rows));
  const std::uint64_t dimension = rows->survey()->dimension;
  if (dimension > FeaturePairs::kEnd) {
    throw Error(fmt::format("{}: --interactions: feature {} is above 2^32", rows->name(),
                            dimension - (options.zero_based ? 1 : 0)));
  }
  PairSurvey survey(*rows, rule, *features, dimension, true);
  auto pairs = std::make_shared<const FeaturePairs>(dimension, survey.sorted());
  if (pairs->all().empty()) {
    throw Error(
        fmt::format("{}: --interactions: no row has both features of a pair", rows->name()));
  }
  auto paired =
      std::make_shared<PairedSource>(std::move(rows), rule, pairs, features, survey.stretches());
  return {std::move(paired), std::move(pairs)};
}

std::shared_ptr<RowSource> with_known_pairs(std::shared_ptr<RowSource> rows, const PairRule& rule,
                                            std::shared_ptr<const FeaturePairs> pairs,
                                            const std::shared_ptr<FeatureMap>& features) {
  rows = at_hand(std::move(rows));
  PairSurvey survey(*rows, rule, *features, pairs->features(), false);
  return std::make_shared<PairedSource>(std::move(rows), rule, std::move(pairs), features,
                                        survey.stretches());
}

}  // namespace thresh
