// fobos: Duchi & Singer, "Efficient Online and Batch Learning Using Forward Backward Splitting",
// 2009; Dhingra et al., Algorithm 4.
//
// Minimises mean L(a, y) + lambda |w|_1. For batch t with mean loss gradient g:
//
//     w <- S(w - eta_t g, eta_t lambda)
//
// With --rounds, lambda/2 replaces lambda during the first half of all steps.
//
// Departures: rows come in shuffled passes; --order replacement draws them, as Algorithm 4 does.
// --batch 1 is the stochastic form, --batch 0 the full one.
//
// Cost: O(non-zeros of the batch) per step, since the shrinkage of all other weights is deferred;
// two doubles per feature, four with batches.

#include "solvers/online/shrinking_solver.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// T: the number of steps of the whole run.
std::uint64_t total_steps(const SolverSetup& setup, std::uint64_t batch) {
  if (setup.options.steps) return *setup.options.steps;
  if (setup.rows == 0) {
    throw UsageError("--rounds must know the number of steps: give --steps, or rows from a file");
  }
  const std::uint64_t per_pass = batch == 0 ? 1 : (setup.rows + batch - 1) / batch;
  return setup.options.passes * per_pass;
}

class Fobos : public ShrinkingSolver<Fobos> {
 public:
  explicit Fobos(const SolverSetup& setup)
      : ShrinkingSolver(setup, setup.count("batch"), Shrinkage()),
        gentle_steps_(setup.flag("rounds") ? total_steps(setup, setup.count("batch")) / 2 : 0) {}

  std::string needs_in_advance() const override {
    return gentle_steps_ > 0 ? "the number of steps, for --rounds" : "";
  }

  void step(const Gradient& gradient, double eta) {
    descend(gradient, eta);
    shrink(eta * (state_.t <= gentle_steps_ ? lambda_ / 2 : lambda_));
  }

 private:
  std::uint64_t gentle_steps_;  // of --rounds
};

}  // namespace

CatalogEntry fobos() {
  CatalogEntry entry =
      entry_for_rows("fobos", "Duchi & Singer 2009; Dhingra et al., Algorithm 4",
                     "w = S(w - eta_t g, eta_t lambda)", "O(non-zeros of the batch)");
  entry.info.plain_steps = true;
  entry.info.schedule = Schedule::sqrt;
  entry.info.options = {batch_option(),
                        {OptionInfo::Kind::flag, "rounds", "false",
                         "half of lambda during the first half of all steps"},
                        slices_option()};
  add_losses_for_numbers(entry.info);
  entry.info.example = "thresh train DATA --solver fobos --batch 100 --rounds --lambda 1e-4";
  entry.make = make_solver<Fobos>;
  return entry;
}

}  // namespace thresh
