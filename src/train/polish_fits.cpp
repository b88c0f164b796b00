// Fits of recorded models with a ridge, whose kind and strength held-out rows choose.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "data/feed/feature_scales.hpp"
#include "polish/contrast.hpp"
#include "polish/merged_rows.hpp"
#include "polish/strength.hpp"
#include "sparse/parallel.hpp"
#include "train/polish.hpp"

namespace thresh {
namespace {

constexpr std::size_t kLeastContrasted =
    65;  // with fewer features the ridge makes little difference
constexpr int kMostLost = 2;
// Of many rows the optimum itself is uncertain by far more.
constexpr FitEnd kLargeEnd{.converged = 1e-7};

bool is_finite(const RidgeModel& model) {
  return std::isfinite(model.intercept) &&
         std::all_of(model.weights.begin(), model.weights.end(),
                     [](double weight) { return std::isfinite(weight); });
}

double sum_of(std::span<const double> scores) {
  double sum = 0;
  for (const double score : scores) sum += score;
  return sum;
}

// Whether the first scores of the same rows are lower by two standard errors of the difference.
bool are_clearly_lower(std::span<const double> some, std::span<const double> others) {
  constexpr double kErrors = 2;
  const auto n = static_cast<double>(some.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const double more = some[i] - others[i];
    sum += more;
    squares += more * more;
  }
  return sum < -kErrors * std::sqrt(std::max(squares - sum * sum / n, 0.0));
}

bool is_contrasted(const ModelParts& model) {
  return std::any_of(model.begin(), model.end(), [](const SparseWeights& part) {
    return part.slots.size() >= kLeastContrasted;
  });
}

// The weights of `larger`, where it has the features.
ModelParts restricted(const ModelParts& larger, ModelParts model) {
  for (std::size_t c = 0; c < model.size() && !larger.empty(); ++c) {
    const Support support(larger[c].slots);
    for (std::size_t j = 0; j < model[c].slots.size(); ++j) {
      const std::uint32_t place = support.place(model[c].slots[j]);
      if (place != Support::kNone) model[c].weights[j] = larger[c].weights[place];
    }
    model[c].intercept = larger[c].intercept;
  }
  return model;
}

}  // namespace

struct Polish::Ready {
  struct Part {
    SupportMatrix train, held_out;
    std::vector<double> targets, held_out_targets;
  };
  const ModelParts& model;
  std::vector<Part> parts;  // by class
  std::vector<HeldOutFit> fits;
  std::vector<double> held_out;  // scores of the model itself, by row
};

struct Polish::Chosen {
  StrengthFit best;
  std::vector<HeldOutFit> fits;
  bool contrast = false;
  bool from_zero = true;
  std::vector<double> held_out;  // scores by row
};

std::vector<RidgeModel> Polish::to_gathered(const Gathered& rows, const ModelParts& model) const {
  std::vector<RidgeModel> there;
  for (const SparseWeights& part : model) there.push_back(to_gathered(rows, part));
  return there;
}

Polish::Ready Polish::prepare(const Gathered& rows, const ModelParts& model) const {
  Ready ready{model, std::vector<Ready::Part>(model.size()), {}, {}};
  const bool intercept = run_.options.intercept;
  for (std::size_t c = 0; c < model.size(); ++c) {
    Ready::Part& part = ready.parts[c];
    std::vector<std::uint32_t> columns;
    for (const std::uint32_t slot : model[c].slots) columns.push_back(rows.columns.place(slot));
    part.train = rows.train.only(columns);
    part.held_out = rows.held_out.only(columns);
    part.targets = targets_of(part.train, c);
    part.held_out_targets = targets_of(part.held_out, c);
    const LossFunction loss = fit_loss(part.targets);
    const bool by_residuals = run_.options.task == Task::regression && loss.kind() == Loss::squared;
    const std::size_t merged = merge_if_many_are_equal(part.train, part.targets);
    ready.fits.push_back({RidgeProblem(part.train, part.targets, loss, intercept),
                          RidgeProblem(part.held_out, part.held_out_targets, loss, intercept),
                          by_residuals,
                          {},
                          merged});
    ready.fits.back().train.constrain(signs_at(model[c].slots));
    ready.fits.back().train.end_with(run_.options.stop);
  }
  ready.held_out = row_scores(ready.fits, to_gathered(rows, model));
  return ready;
}

Polish::Chosen Polish::choose(const Gathered& rows, const Ready& ready, const RidgeOfFit& ridge,
                              const Start& start) const {
  Chosen chosen{{}, ready.fits, !ridge.masses.empty(), true, {}};
  for (std::size_t c = 0; c < chosen.fits.size() && chosen.contrast; ++c) {
    const double mass = ridge.masses[c];
    const Ready::Part& part = ready.parts[c];
    chosen.fits[c].shares =
        contrast_shares(part.train, part.targets, mass / (ridge.masses.back() - mass));
  }
  if (ridge.given) {
    chosen.best.ridge = *ridge.given;
    return chosen;
  }
  const ModelParts from = restricted(start.parts, ready.model);
  chosen.best = best_strength(chosen.fits, to_gathered(rows, from), start.strength);
  chosen.held_out = row_scores(chosen.fits, chosen.best.models);
  // A model of few rows is to be that of a given ridge, to the bit.
  chosen.from_zero = !chosen.fits.front().has_many_rows();
  return chosen;
}

std::optional<PolishedModel> Polish::finish(const Gathered& rows, const Ready& ready,
                                            Chosen chosen) const {
  PolishedModel polished;
  polished.ridge = chosen.best.ridge;
  polished.contrast = chosen.contrast;
  for (std::size_t c = 0; c < chosen.fits.size(); ++c) {
    HeldOutFit& fit = chosen.fits[c];
    if (chosen.from_zero) fit.train.start_afresh();
    const RidgeModel found =
        fit.fit(polished.ridge, chosen.from_zero ? RidgeModel{} : std::move(chosen.best.models[c]),
                fit.has_many_rows() ? kLargeEnd : FitEnd{});
    if (!is_finite(found)) return std::nullopt;
    polished.parts.push_back(from_gathered(rows, ready.model[c].slots, found));
  }
  return polished;
}

std::optional<PolishedModel> Polish::fit_one(const Gathered& rows, const ModelParts& model,
                                             const RidgeOfFit& ridge) const {
  const Ready ready = prepare(rows, model);
  Chosen chosen = choose(rows, ready, ridge, {});
  chosen.from_zero = true;
  return finish(rows, ready, std::move(chosen));
}

template <class FitModel>
void Polish::for_each_model(const std::vector<ModelParts>& models, bool held_out, std::size_t most,
                            const FitModel& fit_model) const {
  // Leaves out the largest until the rows of the others fit into memory.
  for (std::size_t first = 0; first < models.size() && !stopped(); ++first) {
    const std::vector<ModelParts> rest(models.begin() + static_cast<std::ptrdiff_t>(first),
                                       models.end());
    const std::optional<Gathered> rows = gather(rest, held_out, most);
    if (!rows) continue;
    const auto fit_next = [&](std::size_t i, bool alone) {
      if (!stopped()) fit_model(first + i, *rows, alone);
    };
    // All cores on one large model after another, then each core on small ones.
    const std::size_t large = count_large(*rows, rest);
    for (std::size_t i = 0; i < large; ++i) fit_next(i, true);
    parallel_for(rest.size() - large, [&](std::size_t i) { fit_next(large + i, false); });
    break;
  }
}

// A kind of fit, plain or with contrasts, that is tried at one size after another.
class Polish::Kind {
 public:
  explicit Kind(RidgeOfFit ridge) : ridge_(ridge) {}

  const RidgeOfFit& ridge() const { return ridge_; }
  // So often that it is unlikely to win at the next large size.
  bool has_lost() const { return lost_ >= kMostLost; }
  // Large sizes begin where the last one ended, small ones with its strength only.
  Start start(bool alone) const { return {last_.strength, alone ? last_.parts : ModelParts()}; }
  // What came of a large size.
  void follow(Start end, bool lost) {
    last_ = std::move(end);
    lost_ = lost ? lost_ + 1 : 0;
  }

 private:
  RidgeOfFit ridge_;
  Start last_;
  int lost_ = 0;  // large sizes in succession
};

struct Polish::Kinds {
  Kind plain, contrasted;
};

Polish::Start Polish::start_at(const Gathered& rows, const Ready& ready,
                               const Chosen& chosen) const {
  Start start{strength_of(chosen.best.ridge)};
  for (std::size_t c = 0; c < ready.model.size(); ++c) {
    start.parts.push_back(from_gathered(rows, ready.model[c].slots, chosen.best.models[c]));
  }
  return start;
}

// Both kinds of one size. `may_lose`: a fit that has the higher loss than the model, or than the
// other kind, is none.
Polish::OneSize Polish::fit_size(const Gathered& rows, const ModelParts& model, bool may_lose,
                                 bool alone, Kinds& kinds) const {
  const Ready ready = prepare(rows, model);
  std::optional<Chosen> plain, contrasted;
  const bool contrasts = !kinds.contrasted.ridge().masses.empty() && is_contrasted(model) &&
                         !(alone && kinds.contrasted.has_lost());
  // Left out only where the other kind is there to win.
  if (!(alone && contrasts && may_lose && kinds.plain.has_lost())) {
    plain = choose(rows, ready, kinds.plain.ridge(), kinds.plain.start(alone));
  }
  if (contrasts) {
    Start start = kinds.contrasted.start(alone);
    if (start.parts.empty() && plain) start = start_at(rows, ready, *plain);
    contrasted = choose(rows, ready, kinds.contrasted.ridge(), start);
  }
  const auto wins = [&](const std::optional<Chosen>& fit, const std::vector<double>& others) {
    return fit && (!may_lose || sum_of(fit->held_out) < sum_of(others));
  };
  const bool plain_wins = wins(plain, ready.held_out);
  const bool contrast_wins = wins(contrasted, plain_wins ? plain->held_out : ready.held_out);
  const bool chooses = !kinds.plain.ridge().given;  // a given ridge leaves nothing to go on from
  if (alone && chooses && plain) {
    const bool clearly_lost =
        contrasted && are_clearly_lower(contrasted->held_out, plain->held_out);
    kinds.plain.follow(start_at(rows, ready, *plain), may_lose && (!plain_wins || clearly_lost));
  }
  if (alone && contrasted) {
    kinds.contrasted.follow(start_at(rows, ready, *contrasted), may_lose && !contrast_wins);
  }
  OneSize found;
  if (plain_wins) found.plain = finish(rows, ready, std::move(*plain));
  if (contrast_wins) found.contrasted = finish(rows, ready, std::move(*contrasted));
  return found;
}

Polish::Fits Polish::fit(std::vector<ModelParts> models, std::optional<double> ridge) const {
  const std::size_t most = most_entries(ridge.has_value());
  const std::vector<bool> replaced = search_small(models, most);
  const bool contrasts = !ridge && may_contrast();
  std::vector<double> of_classes;
  if (contrasts && is_contrasted(models.front())) of_classes = masses();
  Kinds kinds{Kind({ridge}), Kind({ridge, of_classes})};
  // Models of folds must be comparable.
  const bool may_lose = !ridge && run_.options.folds == 0 && !run_.options.certify;
  Fits found{Models(models.size()), Models(contrasts ? models.size() : 0)};
  for_each_model(models, !ridge, most, [&](std::size_t i, const Gathered& rows, bool alone) {
    const bool is_constant = models[i].front().slots.empty();
    OneSize both =
        fit_size(rows, models[i], may_lose && !replaced[i] && !is_constant, alone, kinds);
    found.plain[i] = std::move(both.plain);
    if (contrasts) found.contrasted[i] = std::move(both.contrasted);
  });
  return found;
}

Polish::Models Polish::contrast(const std::vector<ModelParts>& models, double ridge) const {
  Models found(models.size());
  const std::vector<double> of_classes = masses();
  for_each_model(models, false, most_entries(true), [&](std::size_t i, const Gathered& rows, bool) {
    found[i] = fit_one(rows, models[i], {ridge, of_classes});
  });
  return found;
}

}  // namespace thresh
