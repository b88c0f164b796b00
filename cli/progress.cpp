#include "progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "common.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

std::string clock_time(double seconds) {
  const auto s = static_cast<std::uint64_t>(seconds);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// The error of the pass so far, where rows are predicted before they are learned from.
std::string error_text(const Progress& p) {
  return std::isnan(p.progressive_error) ? "-" : fmt::format("{:.3f}%", 100 * p.progressive_error);
}

// What a run gets through in a second: text, or entries of rows that are in memory.
std::string rate_text(const Progress& p) {
  const double seconds = p.seconds > 0 ? p.seconds : 1e-9;
  return p.bytes > 0
             ? fmt::format("{:.0f} MB/s", static_cast<double>(p.bytes) / 1e6 / seconds)
             : fmt::format("{:.0f} M entries/s", static_cast<double>(p.accesses) / 1e6 / seconds);
}

class MeteredSource : public RowSource {
 public:
  MeteredSource(std::shared_ptr<RowSource> source, ReadMeter& meter)
      : source_(std::move(source)), meter_(meter) {}
  BlockPtr block(std::size_t k) override {
    if (stop_requested) throw Interrupted(name() + ": interrupted");
    BlockPtr block = source_->block(k);
    const std::lock_guard lock(mutex_);
    if (block) meter_.add(block->source_bytes);
    return block;
  }
  const Survey* survey() const override { return source_->survey(); }
  std::string name() const override { return source_->name(); }

 private:
  std::shared_ptr<RowSource> source_;
  ReadMeter& meter_;
  std::mutex mutex_;
};

}  // namespace

void ReadMeter::add(std::uint64_t bytes) {
  bytes_ += bytes;
  tell(1, [&](double seconds) {
    const double megabytes = static_cast<double>(bytes_) / 1e6;
    return fmt::format("{} {:.0f} MB, {:.0f} MB/s", what_, megabytes, megabytes / seconds);
  });
}

OnText TextMeter::told() {
  return [this](const std::string& doing, std::uint64_t bytes) {
    if (doing != doing_) meter_.emplace(doing_ = doing, quiet_);
    meter_->add(bytes);
  };
}

void ProofMeter::show(const ProofProgress& progress) {
  tell(0, [&](double seconds) {
    const double gap = progress.objective - progress.bound;
    return fmt::format(
        "{}: no other choice lowers the objective by more than {}  {} nodes  {:.0f} s", what_,
        percent(progress.objective > 0 ? gap / progress.objective : 0), thousands(progress.nodes),
        seconds);
  });
}

void CheckMeter::show(std::uint64_t done, std::uint64_t all) {
  tell(1, [&](double seconds) {
    return fmt::format("{}: {} of {} dual points  {:.0f} s", what_, thousands(done), thousands(all),
                       seconds);
  });
}

std::shared_ptr<RowSource> metered(std::shared_ptr<RowSource> source, ReadMeter& meter) {
  return std::make_shared<MeteredSource>(std::move(source), meter);
}

TrainProgress::TrainProgress(bool quiet, std::uint64_t passes)
    : quiet_(quiet), passes_(passes), line_(!quiet) {}

std::uint64_t TrainProgress::wake_at() const {
  return quiet_ || line_.enabled() ? Observer::wake_at() : next_row_;
}

bool TrainProgress::wants_progress(const Progress& p) const {
  if (quiet_) return false;
  return line_.enabled() ? line_.due() : p.examples >= next_row_;
}

void TrainProgress::on_progress(const Progress& p) {
  if (!wants_progress(p)) return;  // the last one comes unasked
  if (!line_.enabled()) return table_row(p);
  const double seconds = p.seconds > 0 ? p.seconds : 1e-9;
  const double left = p.expected_examples > p.examples
                          ? seconds * static_cast<double>(p.expected_examples - p.examples) /
                                static_cast<double>(p.examples > 0 ? p.examples : 1)
                          : 0;
  const std::string of = passes_ > 0 ? fmt::format("/{}", passes_) : "";
  line_.show(fmt::format("pass {}{}  {:.0f} rows/s  {}  error {}  {} non-zeros  {}  {} left",
                         p.pass, of, static_cast<double>(p.examples) / seconds, rate_text(p),
                         error_text(p), thousands(p.nonzeros),
                         p.dimension > 0 ? percent(p.density()) : "",
                         p.expected_examples > 0 ? "at most " + clock_time(left) : "?"));
}

void TrainProgress::tell(const std::string& warning) {
  clear();
  say("thresh: warning: {}\n", warning);
}

void TrainProgress::on_warning(const std::string& what) {
  tell(what);
}

void TrainProgress::on_proof(const ProofProgress& progress) {
  if (!proof_) {
    line_.clear();
    proof_.emplace(quiet_);
  }
  proof_->show(progress);
}

void TrainProgress::on_divergence(const Divergence& found) {
  constexpr std::size_t kTold = 5;  // a step may have to be halved many times
  if (found.step == 0 || ++divergences_ > kTold + 1) return;  // the run's end tells of its cause
  const std::string where = fmt::format("diverged at example {}", thousands(found.examples));
  tell(divergences_ > kTold
           ? where + ", too; further divergences are only counted"
           : fmt::format("{}: {}; rolled back to example {}, step sizes times {:g}", where,
                         found.what, thousands(found.back_to), found.step));
}

// Printed at 1, 2, 4, 8, ... thousand examples. The error is that of the pass so far, each row
// predicted before it was learned from.
void TrainProgress::table_row(const Progress& p) {
  if (!header_done_) {
    say("{:>6} {:>12} {:>10} {:>12} {:>10} {:>9} {:>15}\n", "pass", "examples", "error",
        "non-zeros", "density", "seconds", "rate");
    header_done_ = true;
  }
  say("{:>6} {:>12} {:>10} {:>12} {:>10} {:>9.2f} {:>15}\n", p.pass, p.examples, error_text(p),
      p.nonzeros, p.dimension > 0 ? percent(p.density()) : "-", p.seconds, rate_text(p));
  while (next_row_ <= p.examples) next_row_ *= 2;
}

}  // namespace thresh::cli
