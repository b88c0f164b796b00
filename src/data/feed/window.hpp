// Rows as the learner gets them: only the wanted ones, with labels and weights mapped, a window at
// a time.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "data/feed/labels.hpp"
#include "data/feed/order.hpp"
#include "data/feed/row_weights.hpp"
#include "data/read/row_keys.hpp"
#include "thresh/error.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Which rows of a source are wanted, and how their labels and weights are mapped.
struct RowView {
  LabelMap labels;
  std::shared_ptr<const RowWeights> weights;  // null: all one
  std::vector<double> class_weights;          // of -1 and +1, or of class 0, 1, ...; empty: all one
  double holdout = 0;       // share of rows held out, chosen by seed and row number
  std::uint64_t folds = 0;  // if not 0: the rows of one of this many folds are held out instead
  std::uint64_t fold = 0;
  std::uint64_t seed = 0;
  bool all_weights = false;             // rows of weight zero are used, too: they can be predicted
  std::shared_ptr<const RowKeys> keys;  // groups are held out as a whole, or the latest; or null
  enum class Keep { all, training, held_out } keep = Keep::all;
  const std::atomic<bool>* stop = nullptr;  // a feeder throws Interrupted once it is true

  bool wants(std::uint64_t id) const {
    const bool all = keep == Keep::all || (holdout == 0 && folds == 0);
    return all ? keep != Keep::held_out : holds_out(id) == (keep == Keep::held_out);
  }
  // Rows get weights from one place only: throws Error if these have their own and others are
  // given.
  void check_weights(const RowSource& source, bool weighted) const;
  double weight(const Row& row) const {
    const bool plain = !weights && class_weights.empty();
    return plain ? row.weight : weighed(row);
  }

  // Whether the row is used. If so, maps its label and weight. Rows of weight zero are not used
  // to learn: they neither move nor shrink any weight. `line` returns the row's line, 0 if not from
  // a file. It is called only for an invalid label.
  template <class Line>
  bool admit(Row& row, const RowSource& source, const Line& line) {
    if (!wants(row.id)) return false;
    try {
      row.label = labels.target(row.label);
    } catch (const Error& error) {
      throw_bad_label(row, source, line(), error);
    }
    row.weight = weight(row);
    return row.weight > 0 || all_weights;
  }

 private:
  bool holds_out(std::uint64_t id) const;
  double weighed(const Row& row) const;
  [[noreturn]] static void throw_bad_label(const Row& row, const RowSource& source,
                                           std::uint64_t line, const Error& error);
};

// Rows in the order of visits, and the blocks that hold them.
struct Window {
  std::vector<Row> rows;
  std::vector<BlockPtr> blocks;
  std::uint64_t slot_end = 0;
  std::uint64_t source_bytes = 0;
  std::uint64_t pass = 0;  // counted from 1
  bool ends_pass = false;
  RowPlace next;    // after these rows
  LabelMap labels;  // as known after these rows
};

}  // namespace thresh
