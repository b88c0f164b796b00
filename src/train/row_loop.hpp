// The loop over rows: shows the windows of the feeder to a RowSolver, in spans that end where
// something else has to be done. Marks, support checks and states that are saved depend on row
// counts alone.
#pragma once

#include <optional>

#include "train/loop.hpp"

namespace thresh {

class RowLoop : public Loop {
 public:
  using Loop::Loop;

  // Reads the rows and shows them until the run ends.
  Status run();
  // For those who read the rows themselves: shows a window. How the run ended, if it has.
  std::optional<Status> show(const Window& window);

  const LabelMap& labels() const { return labels_; }    // that are known by now
  std::uint64_t bad_rows() const { return bad_rows_; }  // of the first pass

 private:
  std::optional<Status> show_rows(std::span<const Row> rows);
  std::optional<Status> end_row_pass(std::uint64_t pass);
  std::size_t span_length(std::size_t rows) const;

  LabelMap labels_ = run_.setup.training.labels;
  std::uint64_t bad_rows_ = 0;
};

}  // namespace thresh
