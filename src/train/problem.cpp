// The small parts of the public interface around fit().

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <utility>

#include "cluster/shares.hpp"
#include "data/feed/feature_scales.hpp"
#include "data/feed/pairs.hpp"
#include "data/names/vocabulary.hpp"
#include "data/read/bytes.hpp"
#include "data/read/matrix_source.hpp"
#include "data/read/memory_rows.hpp"
#include "solvers/catalog.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/convert.hpp"
#include "thresh/error.hpp"
#include "thresh/fit.hpp"
#include "thresh/learner_state.hpp"
#include "thresh/select.hpp"
#include "thresh/table.hpp"
#include "thresh/threads.hpp"
#include "train/saved_call.hpp"
#include "train/setup.hpp"
#include "train/shared_run.hpp"

namespace thresh {

double Progress::density() const {
  return dimension == 0 ? 0 : static_cast<double>(nonzeros) / static_cast<double>(dimension);
}

const char* name_of(Outcome outcome) {
  constexpr std::array kNames = {"converged",   "budget reached", "passes spent",
                                 "steps spent", "stopped",        "diverged"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

bool one_look_is_enough(const Options& options) {
  // A random iterate asks for the number of steps, theorems for the largest value.
  const bool looks_ahead =
      options.iterate == Iterate::random ||
      (options.iterate == Iterate::average && find_solver(options.solver).info.measures_values);
  const bool once = options.order == Order::sequential && options.passes == 1 && !options.steps &&
                    !options.trace && options.holdout == 0 && options.folds == 0 && !looks_ahead;
  const bool classes_known = options.task == Task::regression || options.positive.has_value();
  const bool dimension_known = !options.density || options.dim > 0;
  return once && classes_known && dimension_known && !options.balanced_classes &&
         options.class_weights.empty() && !needs_all_rows(options) &&
         !find_solver(options.solver).info.measures_rows;
}

namespace {

Problem on_scales(Problem problem, std::shared_ptr<const FeatureScales> scales) {
  problem.scales = std::move(scales);
  problem.train = scaled_rows(problem.train, problem.scales);
  if (problem.valid) problem.valid = scaled_rows(problem.valid, problem.scales);
  return problem;
}

Problem scaled(Problem problem, FeatureScale scale, const std::atomic<bool>* stop,
               const std::function<void()>& told) {
  problem.never_scale |= scale == FeatureScale::none;
  if (scale == FeatureScale::automatic || scale == FeatureScale::none) return problem;
  if (problem.train->survey() == nullptr) {
    throw UsageError(fmt::format(
        "--scale {} must read all rows before training, but this input can be read only once",
        name_of(scale)));
  }
  if (scale == FeatureScale::standard && problem.features->share()) {
    throw UsageError(
        "--scale standard does not support several ranks: centred features have entries in all "
        "rows (use max or rms)");
  }
  const auto tell = [&] {
    check_stop(stop, problem.train->name());
    told();
  };
  // Slots beyond are given out as features are met, and rows are not in their order.
  const auto scales = std::make_shared<const FeatureScales>(scale, *problem.train, tell,
                                                            problem.features->identity_end());
  return on_scales(std::move(problem), scales);
}

// A small file has few features, however large their indices: with a table for the large ones, time
// and memory depend on the features that occur. A table costs more per entry of a large file.
// None: the file is large.
std::optional<std::uint64_t> slots_without_table(const std::string& path) {
  constexpr std::uint64_t kSlotsPerByte =
      16;  // an entry of compressed text may have a quarter byte
  constexpr std::uint64_t kFewest = std::uint64_t{1} << 16;
  std::error_code none;
  const std::uintmax_t bytes =
      std::filesystem::is_regular_file(path, none) ? std::filesystem::file_size(path, none) : 0;
  if (none || bytes == 0 || bytes >= FeatureMap::kIdentityLimit / kSlotsPerByte) {
    return std::nullopt;
  }
  return std::max<std::uint64_t>(kFewest, bytes * kSlotsPerByte);
}

std::shared_ptr<FeatureMap> features_of(const std::string& path, std::uint64_t dim) {
  const auto slots = slots_without_table(path);
  return slots ? std::make_shared<FeatureMap>(0, *slots) : make_feature_map(dim);
}

// Makes the products of features that are asked for.
void add_pairs(const ReadOptions& options, Problem& problem) {
  if (options.interactions.empty()) return;
  const PairRule rule(options.interactions, problem.vocabulary.get(),
                      problem.zero_based ? std::uint64_t{0} : 1, problem.train->name());
  PairedRows paired = with_pairs(problem.train, rule, problem.features, options);
  problem.train = std::move(paired.rows);
  problem.pairs = std::move(paired.pairs);
  problem.interactions = options.interactions;
  problem.own_features = problem.pairs->features();
  if (!problem.valid) return;
  problem.valid = with_known_pairs(problem.valid, rule, problem.pairs, problem.features);
}

// Rows to learn from and rows to validate on, and how to open them.
struct Input {
  using Open = std::function<std::shared_ptr<RowSource>(const ReadOptions&,
                                                        const std::shared_ptr<FeatureMap>&)>;
  std::string name;
  Format format;
  bool is_cache = false;
  Open train, valid;  // valid: null if there are none
};

Input::Open opener(const std::string& path) {
  if (path.empty()) return nullptr;
  return [path](const ReadOptions& read, const std::shared_ptr<FeatureMap>& features) {
    return open_rows(path, read, features);
  };
}

Input::Open opener(const MemoryTable* table) {
  if (table == nullptr) return nullptr;
  return [table](const ReadOptions& read, const std::shared_ptr<FeatureMap>& features) {
    return table_rows(*table, read, features);
  };
}

Input files(const std::string& train, const std::string& valid, const ReadOptions& options) {
  return {train, format_of(train, options.format), is_cache_file(train), opener(train),
          opener(valid)};
}

Problem open_with(std::shared_ptr<FeatureMap> features, const Input& input,
                  const ReadOptions& options) {
  Problem problem;
  problem.features = std::move(features);
  const LearnerState* const state = options.from_state;
  if (state != nullptr) problem.features->preload(state->feature_ids);
  if (options.checkpoint != nullptr) preload_features(*options.checkpoint, *problem.features);
  problem.format = input.format;
  ReadOptions read = options;
  read.format = problem.format;
  if (!options.interactions.empty()) {
    if (state != nullptr) throw UsageError("--interactions: the learner to go on with has none");
    read.once = false;  // pairs are found first
  }
  if (state != nullptr) {
    if (problem.format != state->model.format) {
      throw Error(fmt::format("{}: the learner to go on with has read {}", input.name,
                              name_of(state->model.format)));
    }
    read.zero_based = state->model.zero_based;
    read.normalize_l2 = state->model.normalize_l2;
    read.vocabulary = state->vocabulary();
    if (read.vocabulary) read.hash_bits = read.vocabulary->hash_bits();
    const bool other_bits = options.hash_bits > 0 && options.hash_bits != read.hash_bits;
    const char* const other = options.zero_based && !read.zero_based       ? "--zero-based"
                              : options.normalize_l2 && !read.normalize_l2 ? "--normalize l2"
                              : other_bits                                 ? "these --hash-bits"
                                                                           : nullptr;
    if (other != nullptr) {
      throw UsageError(fmt::format("the learner to go on with was made without {}", other));
    }
  }
  if (problem.format != Format::libsvm && !read.vocabulary) {
    read.vocabulary = std::make_shared<Vocabulary>(options.hash_bits);
  }
  if (problem.format == Format::libsvm) {
    read.vocabulary = nullptr;
  } else {
    read.once = false;  // names are learned first
  }
  problem.vocabulary = read.vocabulary;
  problem.train = input.train(read, problem.features);
  if (problem.vocabulary) problem.vocabulary->freeze();
  // What the note says could be chosen has been, if the rows are a cache.
  if (problem.vocabulary && !input.is_cache) problem.note = problem.vocabulary->note;
  if (problem.vocabulary) problem.row_keys = problem.vocabulary->row_keys;
  if (problem.vocabulary) problem.label_guessed = problem.vocabulary->label_guessed;
  if (input.valid) {
    ReadOptions again = read;
    again.once = false;  // every trace point reads it anew
    problem.valid = input.valid(again, problem.features);
  }
  problem.zero_based = read.zero_based;
  problem.normalize_l2 = read.normalize_l2;
  add_pairs(read, problem);
  return scaled(std::move(problem), options.scale, options.stop, [&] {
    if (options.on_read) options.on_read(0);  // it goes on, but of text that was counted before
  });
}

}  // namespace

Problem open_problem(const std::string& train, const std::string& valid,
                     const ReadOptions& options) {
  const ThreadLimit limit(options.threads);
  const LearnerState* const state = options.from_state;
  auto features = state != nullptr ? std::make_shared<FeatureMap>(0, state->identity_end)
                  : options.interactions.empty()
                      ? features_of(train, options.dim)
                      : make_feature_map(options.dim);  // the file's size tells too little
  return open_with(std::move(features), files(train, valid, options), options);
}

Problem table_problem(const MemoryTable& train, const ReadOptions& options,
                      const MemoryTable* valid) {
  const ThreadLimit limit(options.threads);
  if (options.from_state != nullptr || options.checkpoint != nullptr) {
    throw UsageError("states and checkpoints need the path of a file");
  }
  ReadOptions read = options;
  if (read.name.empty()) read.name = "table";
  const Input input{read.name, Format::csv, false, opener(&train), opener(valid)};
  return open_with(make_feature_map(), input, read);
}

Problem open_share(const std::string& train, const std::string& valid, const ReadOptions& options,
                   std::uint64_t slices, Comm& comm) {
  const ThreadLimit limit(options.threads);
  if (slices < comm.size() || slices > kMostSlices) {
    throw UsageError(
        fmt::format("--slices {}: {} ranks need at least as many slices, and at most {}", slices,
                    comm.size(), kMostSlices));
  }
  if (!options.interactions.empty()) {
    throw UsageError("--interactions does not support several ranks yet");
  }
  check_same_file(train, comm);
  const std::uint64_t cached = slices_of_cache(train);
  if (cached != 0 && cached != slices) {
    throw UsageError(
        fmt::format("{}: the cache was made with --slices {}, not {}", train, cached, slices));
  }
  if (!valid.empty()) check_same_file(valid, comm);
  const std::uint64_t slots = slots_without_table(train).value_or(FeatureMap::kIdentityLimit);
  auto features = std::make_shared<FeatureMap>(share_of(comm.rank(), comm, slices), slots);
  return open_with(std::move(features), files(train, valid, options), options);
}

Problem memory_problem(const MemoryRows& train, const MemoryOptions& options,
                       const MemoryRows* valid) {
  Problem problem;
  problem.features = make_feature_map();
  const RowNumbering numbering{options.zero_based ? std::uint64_t{0} : 1, options.normalize_l2};
  problem.train = memory_rows(train, numbering, problem.features);
  if (valid != nullptr) problem.valid = memory_rows(*valid, numbering, problem.features);
  problem.zero_based = options.zero_based;
  problem.normalize_l2 = options.normalize_l2;
  return scaled(std::move(problem), options.scale, nullptr, [] {});
}

Problem matrix_problem(const MatrixView& train, const MemoryOptions& options,
                       const MatrixView* valid, const std::vector<std::string>& interactions) {
  for (const MatrixView* rows : {&train, valid}) {
    if (rows != nullptr && rows->rows > 0 && rows->labels.empty()) {
      throw UsageError("rows to learn from need labels");
    }
  }
  if (valid != nullptr && valid->label_names != train.label_names) {
    throw UsageError("rows to validate on have other names of labels than those to learn from");
  }
  Problem problem;
  problem.features = make_feature_map(interactions.empty() ? train.columns : 0);
  problem.train = matrix_rows(train, options, problem.features);
  if (valid != nullptr) problem.valid = matrix_rows(*valid, options, problem.features);
  problem.zero_based = options.zero_based;
  problem.normalize_l2 = options.normalize_l2;
  ReadOptions read;
  read.zero_based = options.zero_based;
  read.interactions = interactions;
  add_pairs(read, problem);
  return scaled(std::move(problem), options.scale, nullptr, [] {});
}

Problem batch_problem(const NextBatch& next, const MemoryOptions& options) {
  Problem problem;
  problem.features = make_feature_map();
  problem.train = batch_rows(next, options.normalize_l2, problem.features);
  problem.zero_based = options.zero_based;
  problem.normalize_l2 = options.normalize_l2;
  return scaled(std::move(problem), options.scale, nullptr, [] {});
}

std::shared_ptr<RowSource> matrix_rows(const MatrixView& rows, const MemoryOptions& options,
                                       std::shared_ptr<FeatureMap> features) {
  return matrix_rows(rows, options.normalize_l2, std::move(features));
}

bool may_be_scaled(const Problem& problem, const Options& options) {
  return find_solver(options.solver).info.one_scale && !problem.never_scale && !problem.scales &&
         problem.train->survey() != nullptr;
}

Problem scaled_for_solver(const Problem& problem, const Options& options) {
  if (!may_be_scaled(problem, options)) return problem;
  if (slices_of(options) > 0) {
    if (!looks_like_table(*problem.train, *problem.features)) return problem;
    throw UsageError(fmt::format(
        "--slices: {} would bring the columns of this table to one scale, which is not divided yet "
        "(give --scale max, rms or none)",
        options.solver));
  }
  // Without an intercept nothing can make up for what is subtracted. Slots beyond are given out as
  // features are met, and rows are not in their order.
  const std::uint64_t centred_end = options.intercept ? problem.features->identity_end() : 0;
  auto scales = table_scales(*problem.train, centred_end);
  return scales ? on_scales(problem, std::move(scales)) : problem;
}

Problem with_scale(const Problem& problem, FeatureScale scale, const std::atomic<bool>* stop) {
  return scaled(problem, scale, stop, [] {});
}

}  // namespace thresh
