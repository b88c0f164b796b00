// Going on with new rows: Options::save_state and Options::from_state.

#include <fmt/format.h>

#include <algorithm>

#include "data/names/vocabulary.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/run.hpp"

namespace thresh {
namespace {

// What must be known of all rows before the first one, so that there is no going on with new ones;
// "" if nothing.
std::string needs_of(const Problem& problem, const Options& options, const Solver& solver) {
  const std::string needed = solver.needs_in_advance();
  if (!needed.empty()) return fmt::format("{} must know {}", options.solver, needed);
  if (options.density) return "--density must know the number of features; use --features";
  if (options.steps) return "--steps must be the steps of all rows; use --passes";
  if (options.iterate == Iterate::random) return "--iterate random must know the number of steps";
  if (options.balanced_classes || !options.class_weights.empty())
    return "--class-weight must know the rows of each class";
  if (!options.feature_labels_file.empty()) return "--feature-labels must know all features";
  if (options.certify) return "--certify must know the rows of all updates";
  if (problem.pairs) return "--interactions must know the pairs of all rows";
  if (problem.scales) return "--scale must know the values of all rows";
  const bool table = problem.format == Format::csv || problem.format == Format::tsv;
  if (table) return "the columns of a table are read by their values in all rows";
  if (problem.format == Format::text) return "the terms of texts are chosen from all rows";
  return "";
}

}  // namespace

void Run::check_state() {
  const std::string needs = needs_of(run_.problem, run_.options, solver());
  if (needs.empty()) return;
  throw UsageError(fmt::format("{}: {}", run_.options.save_state ? "--save-state" : "--from STATE",
                               needs + ", so it cannot go on with new ones"));
}

void Run::archive_learner(Archive& a) {
  a(guard_, support_);
  log_.archive_pass(a);
}

void Run::note_state() {
  for (Solver* const leaf : leaves(solver())) leaf->forget_rows();
  Archive a;
  archive_learner(a);
  learner_ = a.take();
}

void Run::go_on() {
  const LearnerState& state = *run_.options.from_state;
  const FeatureMap& features = *run_.problem.features;
  if (features.identity_end() != state.identity_end) {
    throw UsageError("to go on from a state, open the rows with ReadOptions::from_state");
  }
  Archive a(state.learner);
  constexpr std::uint64_t kNumbers = 4;  // of a feature at most
  const std::uint64_t hashed = state.feature_ids.size();
  a.limit(kNumbers * std::max({setup().dimension, state.model.dimension,
                               std::uint64_t{leaves(solver()).front()->state().weights.size()},
                               hashed > 0 ? features.identity_end() + hashed : 0}));
  try {
    archive_learner(a);
    a.end();
  } catch (const Error&) {
    throw Error("the state of the learner is damaged");
  }
  if (const auto& end = solver().ended()) {
    throw UsageError("--from STATE: its learner has ended: " + end->reason);
  }
  const std::uint64_t dimension = std::max(setup().dimension, state.model.dimension);
  if (dimension <= features.identity_end()) solver().ensure_slots(dimension);
  log_.progress.dimension = std::max(log_.progress.dimension, state.model.dimension);
  if (log_.progress.expected_examples > 0) {
    log_.progress.expected_examples += solver().state().examples;
  }
}

std::shared_ptr<const LearnerState> Run::state_with(const Model& model) const {
  auto state = std::make_shared<LearnerState>();
  state->options = run_.options;
  state->model = model;
  state->identity_end = run_.problem.features->identity_end();
  state->feature_ids = run_.problem.features->hashed_ids();
  if (const auto& vocabulary = run_.problem.vocabulary) {
    vocabulary->for_each(
        [&](std::uint64_t id, std::string_view name) { append_name(id, name, state->names); });
  }
  state->row_length = setup().row_length;
  state->long_rows = setup().long_rows;
  state->target_size = setup().target_size;
  state->learner = learner_;
  return state;
}

}  // namespace thresh
