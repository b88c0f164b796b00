// The last step of a run of the solver `budget`: fits the selected features to the optimum of their
// loss with a ridge, for every size that the run has recorded. Supports of few features are first
// improved by a search that judges by the loss itself.
#pragma once

#include <optional>
#include <vector>

#include "polish/ridge.hpp"
#include "polish/subset.hpp"
#include "polish/support_matrix.hpp"
#include "solvers/budget/sparse_weights.hpp"
#include "solvers/budget/support_rows.hpp"
#include "thresh/fit.hpp"
#include "train/setup.hpp"

namespace thresh {

// A model: a part per class, or a single one.
using ModelParts = std::vector<SparseWeights>;

struct PolishedModel : PolishSettings {
  ModelParts parts;
};

// Ridges of a fit on all features, which selects some, and of the fit on these.
struct PruneRidges {
  double all, selected;
};

// The number that the options of a run of `budget` set for `name`, ridge or prune, if any.
std::optional<double> set_number(const Options& options, const std::string& name);
// Whether the options of a run of `budget` set this flag.
bool has_flag(const Options& options, const std::string& name);
// A search for the fewest errors selects at most as many features.
constexpr std::uint64_t kMostByErrors = 32;

class Polish {
  friend class BudgetRelaxer;  // works on the same rows, gathered in the same way

 public:
  explicit Polish(const RunContext& run);

  // Why the run cannot be polished; "" if it can.
  static std::string obstacle(const RunContext& run);
  using Models = std::vector<std::optional<PolishedModel>>;
  struct Fits {
    Models plain, contrasted;
  };
  // For each model, the largest first, the optimum with this ridge. Without a ridge: with the one
  // that has the lowest loss on the held-out rows, and none for models whose rows need more than
  // Options::memory, or that have the lower loss themselves, unless folds must be comparable. (A
  // given ridge has no such limit: it may have been chosen on fewer rows.) Once Options::stop is
  // true, throws Interrupted or returns unfinished fits.
  //
  // Without a ridge, of classes, but not in a table, whose columns are in most rows, also the fit
  // with a ridge that is divided by the contrasts of the features, see contrast_shares(): of models
  // with more than 64 features; with few, the ridge makes little difference. None where the plain
  // fit has the lower loss. (Nothing can be certified of its objective.) A kind of fit that loses
  // at large sizes in succession is not tried at the next ones, the plain kind only while the other
  // is.
  Fits fit(std::vector<ModelParts> models, std::optional<double> ridge) const;
  // Of each model, the fit with contrasts and this ridge.
  Models contrast(const std::vector<ModelParts>& models, double ridge) const;
  // Whether a search for the fewest errors may find better features than one for the lowest loss:
  // of two classes, if there are enough rows to tell.
  bool may_search_errors() const;
  // Of the size of each model, as fit(), with the features that leave the fewest errors. None for
  // more than kMostByErrors features, from the first size on at which the model in `by_loss` has
  // about as few errors in the training rows, or if the rows of all candidates do not fit into
  // Options::memory.
  std::vector<std::optional<PolishedModel>> fit_by_errors(
      const std::vector<ModelParts>& models,
      const std::vector<std::optional<PolishedModel>>& by_loss, std::optional<double> ridge) const;
  // Whether prune() may find better features than the run: in a table with few rows.
  bool may_prune() const;
  // Of the size of each model: features selected by backward elimination, fitted again. A fit of
  // all features with a ridge drops half of them, those with the smallest weights; a fit of the
  // others drops half of these; and so on. Without given ridges: with those that have the lowest
  // loss on the held-out rows, and none for sizes below the number of rows, or if all rows do not
  // fit into Options::memory.
  //
  // A run selects on columns of one scale, which is best for few features. In a table whose columns
  // have the same unit, such as intensities, small columns are mostly noise. So here the ridge is
  // on columns in the units of the file.
  std::vector<std::optional<PolishedModel>> prune(const std::vector<ModelParts>& models,
                                                  std::optional<PruneRidges> given) const;

 private:
  // Of columns: those of the run, balanced; those of the file; or one size for all.
  enum class Units { run, file, equal };
  struct Gathered {
    Support columns;
    SupportMatrix train;
    SupportMatrix held_out;       // no rows if they are not needed
    std::vector<double> factors;  // of the columns: those of the file times unit_ and these
  };

  std::optional<Gathered> gather(const std::vector<ModelParts>& models, bool held_out,
                                 std::size_t most, Units units = Units::run) const;
  bool is_wide() const;  // whether the table has fewer rows than columns
  std::vector<double> factors_of_file(const SupportMatrix& rows,
                                      const std::vector<std::uint32_t>& slots) const;
  std::optional<Gathered> gather_all(bool held_out, std::size_t most) const;
  // The `most` most important columns of the model, by ascending place. Required ones are among
  // them.
  std::vector<std::uint32_t> most_important(const Gathered& rows, const SparseWeights& model,
                                            std::size_t most) const;
  // The candidates of a search, of which required features are in every subset.
  struct Searched {
    Gathered rows;
    std::vector<double> targets;
    std::vector<std::uint32_t> required;
  };
  std::optional<Searched> gather_candidates(const std::vector<ModelParts>& models,
                                            std::size_t most) const;
  SparseWeights from_subset(const Gathered& rows, const Subset& subset) const;
  Subset to_subset(const Gathered& rows, const SparseWeights& model) const;
  // Which of the models it has replaced.
  std::vector<bool> search_small(std::vector<ModelParts>& models, std::size_t most) const;
  // Between weights for the rows of the file and weights for the gathered ones.
  RidgeModel to_gathered(const Gathered& rows, const SparseWeights& model) const;
  std::vector<RidgeModel> to_gathered(const Gathered& rows, const ModelParts& model) const;
  SparseWeights from_gathered(const Gathered& rows, std::vector<std::uint32_t> slots,
                              const RidgeModel& model) const;
  // Where a fit starts.
  struct Start {
    int strength = 0;
    ModelParts parts = {};  // a larger model; none: the weights of the run
  };
  struct RidgeOfFit {
    std::optional<double> given;  // none: held-out rows choose it
    // Of the values of all features in the rows of each class, and in all rows; not empty: the
    // ridge is divided by the contrasts of the features.
    std::span<const double> masses = {};
  };
  // A model with its rows and problems, and what held-out rows choose for it.
  struct Ready;
  struct Chosen;
  class Kind;
  struct Kinds;
  struct OneSize {
    std::optional<PolishedModel> plain, contrasted;
  };
  Ready prepare(const Gathered& rows, const ModelParts& model) const;
  Chosen choose(const Gathered& rows, const Ready& ready, const RidgeOfFit& ridge,
                const Start& start) const;
  Start start_at(const Gathered& rows, const Ready& ready, const Chosen& chosen) const;
  OneSize fit_size(const Gathered& rows, const ModelParts& model, bool may_lose, bool alone,
                   Kinds& kinds) const;
  // The fit to the optimum. None if it is not finite.
  std::optional<PolishedModel> finish(const Gathered& rows, const Ready& ready,
                                      Chosen chosen) const;
  // The model of a given ridge, to the bit, also if held-out rows choose it.
  std::optional<PolishedModel> fit_one(const Gathered& rows, const ModelParts& model,
                                       const RidgeOfFit& ridge) const;
  // Calls fit_model(i, rows, alone) for the largest models whose rows fit into memory together and
  // for all smaller ones. All cores work on one large model after another, and then each on small
  // ones, of which none is alone.
  template <class FitModel>
  void for_each_model(const std::vector<ModelParts>& models, bool held_out, std::size_t most,
                      const FitModel& fit_model) const;
  // How many of the models, the largest first, all cores fit together.
  static std::size_t count_large(const Gathered& rows, const std::vector<ModelParts>& models);
  bool may_contrast() const;
  std::vector<double> masses() const;
  std::vector<double> targets_of(const SupportMatrix& rows, std::size_t part) const;
  // The loss of these targets. That of a quantile is smoothed within a hundredth of their spread.
  LossFunction fit_loss(std::span<const double> targets) const;
  std::vector<double> signs_at(std::span<const std::uint32_t> slots) const;  // empty: any
  // The most entries of gathered rows.
  std::size_t most_entries(bool ridge_is_given) const {
    constexpr std::size_t kEntryBytes = 12;
    return ridge_is_given ? kUnlimited : run_.options.memory / kEntryBytes;
  }
  // A pass over these rows throws Interrupted once Options::stop is true.
  RowView stoppable(RowView view) const {
    view.stop = run_.options.stop;
    return view;
  }
  bool stopped() const { return run_.options.stop != nullptr && run_.options.stop->load(); }

  const RunContext& run_;
  double unit_;    // of values: 1 / the length of a typical row
  double target_;  // of targets: their typical size; 1 for classes
  Signs signs_;
};

}  // namespace thresh
