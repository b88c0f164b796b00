// --certify and --prove of `thresh train` and `thresh frontier`.

#include <fmt/format.h>

#include "select.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {

void check_certify(const TrainCommand& c) {
  if (!c.certify && c.given("--delta") && c.options.solver != "scd") {
    throw UsageError("--delta requires --certify or --solver scd");
  }
  if (!(c.delta > 0 && c.delta < 1)) throw UsageError("--delta must be between 0 and 1");
  if (c.given("--prove-time") && c.prove.empty()) throw UsageError("--prove-time requires --prove");
  if (!c.certify) return;
  if (c.read.scale != "auto" && c.read.scale != "none") {
    throw UsageError(
        "--certify does not support --scale: the certificate would be about scaled rows");
  }
  Options options = training_options(c);
  set_certify(c, options);
  const bool keyed = !c.read.options.table.group.empty() || !c.read.options.table.time.empty();
  if (keyed && options.holdout > 0) {
    throw UsageError("--certify with --holdout does not support --group and --time");
  }
  check_certifiable(options);
  const bool has_ridge = options.solver_options.contains("ridge");
  const std::string single = single_run_option(c);
  if (solver_named(options.solver).many_sizes && !has_ridge && !single.empty()) {
    throw UsageError(fmt::format("--certify with {} requires --ridge", single));
  }
  if (!options.threshold_by.empty() && has_bound(options)) {
    throw UsageError("--certify does not support --threshold-by: its bound is about margin 0");
  }
  if (c.given("--delta") && !has_bound(options)) {
    throw UsageError("--delta does not apply: the certificate of " + options.solver +
                     " is not probabilistic");
  }
}

void add_certify_options(CLI::App& command, TrainCommand& c, const char* certify) {
  command.add_flag("--certify", c.certify, certify)->group("Learning");
  command
      .add_option(
          "--prove", c.prove,
          "Solver budget: like --certify, then branch and bound until no other choice of as "
          "many features can lower the training objective by more than this share, e.g. 1%")
      ->group("Learning");
  command
      .add_option(
          "--prove-time", c.prove_time,
          "Time for --prove and its certificate, e.g. 30s, 10m or 2h; what is proved by then "
          "counts")
      ->capture_default_str()
      ->group("Learning");
}

void set_certify(const TrainCommand& c, Options& options) {
  options.certify = c.certify;
  if (c.prove.empty()) return;
  options.prove = parse_percent("--prove", c.prove);
  options.prove_seconds = parse_seconds("--prove-time", c.prove_time);
  if (options.prove == 0) throw UsageError("--prove must be at least 0.01% and below 100%");
}

std::string add_certificate(const TrainCommand& c, const Problem& problem, FitResult& result) {
  if (!c.certify) return "";
  // A proof that was interrupted is a weaker one, but one.
  const bool has_proof = result.dual_point && !result.dual_point->proofs.empty();
  if (result.status.outcome == Outcome::stopped && !has_proof) return "interrupted";
  if (!result.divergences.empty()) return "the run diverged and was rolled back";
  ReadMeter meter("certifying " + c.data, c.out.quiet);
  CheckMeter points(c.out.quiet);
  Problem rows = problem;
  if (has_proof) {
    rows.train = retained(rows.train, c.options.memory);  // many passes
  } else {
    rows.train = metered(rows.train, meter);
  }
  TrainingFacts facts{result.compression_sets, !c.from.empty(), c.delta, c.options.weights_file,
                      result.dual_point};
  facts.on_progress = [&](std::uint64_t done, std::uint64_t all) { points.show(done, all); };
  facts.on_warning = [&](const std::string& warning) {
    points.clear();
    say("thresh: warning: {}\n", warning);
  };
  if (!stop_requested) facts.stop = &stop_requested;
  try {
    result.model.certificate = certify(result.model, rows, facts);
  } catch (const Interrupted&) {  // the model is whole all the same
    return "interrupted";
  } catch (const std::exception& error) {  // for want of memory, too
    return error.what();
  }
  return "";
}

}  // namespace thresh::cli
