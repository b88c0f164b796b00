// Progress on standard error: one live line on a terminal, a table with doubling steps elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "messages.hpp"
#include "thresh/convert.hpp"
#include "thresh/fit.hpp"
#include "thresh/rows.hpp"

namespace thresh::cli {

// Shows the progress of long work: a live line on a terminal, elsewhere a line after 2, 4, 8, ...
// seconds.
class Meter {
 public:
  Meter(std::string what, bool quiet) : what_(std::move(what)), line_(!quiet), quiet_(quiet) {}
  void clear() { line_.clear(); }

 protected:
  // Shows text(seconds since the start). On a terminal the first text appears after `from` seconds.
  template <class Text>
  void tell(double from, const Text& text) {
    if (quiet_) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (line_.due() && seconds > from) line_.show(text(seconds));
    if (line_.enabled() || seconds <= next_line_) return;
    say("{}\n", text(seconds));
    while (next_line_ <= seconds) next_line_ *= 2;
  }

  std::string what_;
  LiveLine line_;

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  Clock::time_point start_ = Clock::now();
  double next_line_ = 2;
};

// Progress of reading: the survey of a file, the spooling of a pipe, prediction.
class ReadMeter : public Meter {
 public:
  using Meter::Meter;
  void add(std::uint64_t bytes);

 private:
  std::uint64_t bytes_ = 0;
};

// Progress of a proof.
class ProofMeter : public Meter {
 public:
  explicit ProofMeter(bool quiet) : Meter("proving", quiet) {}
  void show(const ProofProgress& progress);
};

// Progress of the certificate of a proof.
class CheckMeter : public Meter {
 public:
  explicit CheckMeter(bool quiet) : Meter("certifying", quiet) {}
  void show(std::uint64_t done, std::uint64_t all);
};

// Progress of the successive steps of a conversion, see OnText.
class TextMeter {
 public:
  explicit TextMeter(bool quiet) : quiet_(quiet) {}
  OnText told();
  void clear() { meter_.reset(); }

 private:
  bool quiet_;
  std::string doing_;
  std::optional<ReadMeter> meter_;
};

// The same rows. Reading them is reported to the meter, and Ctrl-C ends it. The meter must outlive
// the result.
std::shared_ptr<RowSource> metered(std::shared_ptr<RowSource> source, ReadMeter& meter);

class TrainProgress : public Observer {
 public:
  TrainProgress(bool quiet, std::uint64_t passes);
  bool wants_progress(const Progress& progress) const override;
  void on_progress(const Progress& progress) override;
  std::uint64_t wake_at() const override;
  // Warnings are shown at once, even with --quiet.
  void on_warning(const std::string& what) override;
  void on_divergence(const Divergence& found) override;
  void on_proof(const ProofProgress& progress) override;
  void clear() {
    line_.clear();
    proof_.reset();
  }

 private:
  void table_row(const Progress& progress);
  void tell(const std::string& warning);

  bool quiet_;
  std::uint64_t passes_;
  LiveLine line_;
  std::uint64_t next_row_ = 1000;
  bool header_done_ = false;
  std::size_t divergences_ = 0;
  std::optional<ProofMeter> proof_;
};

}  // namespace thresh::cli
