// truncated-gradient: Langford, Li & Zhang, "Sparse Online Learning via Truncated Gradient", 2009;
// TG in Xie et al., TruncGrad in Shalev-Shwartz & Tewari.
//
// Minimises mean L(a, y) + lambda |w|_1. For row t with loss gradient g:
//
//     w <- w - eta g;    at every K-th step, wherever |w_j| <= theta:  w_j <- S(w_j, K eta lambda)
//
// Departures: none; rows come in the order that --order says. K = 1 and theta infinite is the form
// of Shalev-Shwartz & Tewari.
//
// Cost: O(non-zeros of the row) per step, since the shrinkage of all other weights is deferred; two
// doubles per feature.

#include "solvers/online/shrinking_solver.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

class TruncatedGradient : public ShrinkingSolver<TruncatedGradient> {
 public:
  explicit TruncatedGradient(const SolverSetup& setup)
      : ShrinkingSolver(setup, 1, Shrinkage(ceiling(setup))), every_(setup.count("every")) {
    if (every_ == 0) throw UsageError("--every must be at least 1");
  }

  void step(const Gradient& gradient, double eta) {
    descend(gradient, eta);
    if (state_.t % every_ == 0) shrink(static_cast<double>(every_) * eta * lambda_);
  }

 private:
  static double ceiling(const SolverSetup& setup) {
    if (setup.word("ceiling") == "inf") return std::numeric_limits<double>::infinity();
    const double theta = setup.number("ceiling");
    if (theta < 0) throw UsageError("--ceiling must be at least 0");
    return theta;
  }

  std::uint64_t every_;
};

}  // namespace

CatalogEntry truncated_gradient() {
  CatalogEntry entry =
      entry_for_rows("truncated-gradient",
                     "Langford, Li & Zhang 2009; Xie et al. 2010; Shalev-Shwartz & Tewari 2009",
                     "w -= eta g; every K-th step w_j = S(w_j, K eta lambda) where |w_j| <= theta",
                     "O(non-zeros of the row)");
  entry.info.plain_steps = true;
  entry.info.schedule = Schedule::constant;
  entry.info.options = {
      {OptionInfo::Kind::number, "every", "1", "K: shrink at every K-th step"},
      {OptionInfo::Kind::word, "ceiling", "inf", "theta: larger weights do not shrink"},
      slices_option()};
  add_losses_for_numbers(entry.info);
  entry.info.example = "thresh train DATA --solver truncated-gradient --every 10 --lambda 1e-5";
  entry.make = make_solver<TruncatedGradient>;
  return entry;
}

}  // namespace thresh
