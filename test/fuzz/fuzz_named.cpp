// Any bytes into the readers of VW text and tables. The first chooses format and options, the
// second how the rest arrives.
//
// Whatever they are, a reader throws thresh::Error or gives rows that keep their promises, and the
// same ones however the stream is chopped.
#include <cmath>
#include <string>
#include <vector>

#include "data/read/named_rows.hpp"
#include "data/read/number.hpp"
#include "data/table/table.hpp"
#include "require.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "tools/memory_bytes.hpp"

namespace {

using namespace thresh;

std::unique_ptr<NamedParser> parser_from(std::uint8_t bits) {
  ReadOptions options;
  options.skip_bad_rows = (bits & 2) != 0;
  options.labels_optional = (bits & 4) != 0;
  options.table.header = (bits & 8) != 0;
  if ((bits & 1) != 0) return make_vw_parser("data", options);
  return make_table_parser("data", options, (bits & 16) != 0 ? Format::tsv : Format::csv, {});
}

struct Outcome {
  std::vector<NamedRows> blocks;
  std::string error;
};

Outcome read(std::string_view text, std::uint8_t bits, MemoryBytes::Piece piece) {
  Outcome outcome;
  try {
    const auto parser = parser_from(bits);
    BlockCutter cutter(std::make_unique<MemoryBytes>(text, std::move(piece)), "data",
                       parser->line_rule());
    bool begun = false;
    for (TextBlock block; cutter.next(block); begun = true) {
      if (!begun) parser->begin(block);
      outcome.blocks.push_back(parser->parse(block));
    }
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

void check(const NamedRows& rows, std::uint8_t bits) {
  require(rows.starts.size() == rows.rows() + 1 && rows.ids.size() == rows.rows() &&
              rows.lines.size() == rows.rows() && rows.starts.back() == rows.places.size() &&
              rows.values.size() == rows.places.size() &&
              (rows.weights.empty() || rows.weights.size() == rows.rows()),
          "arrays fit together");
  require(rows.bad_rows == 0 || (bits & 2) != 0, "bad rows are left out only if asked to");
  for (std::size_t k = 0; k < rows.places.size(); ++k) {
    require(std::isfinite(rows.values[k]), "values are finite");
    require(rows.places[k] < rows.names.size(), "every entry has a name");
    require(!rows.names.name(rows.places[k]).empty(), "and the name is not empty");
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    require(i == 0 || rows.lines[i - 1] < rows.lines[i], "lines ascend");
    const bool has_label = !rows.labels.name(rows.label_places[i]).empty();
    require(has_label || (bits & 4) != 0, "every row has a label");
    require(rows.weights.empty() || rows.weights[i] >= 0, "weights are not negative");
  }
}

void require_same(const Outcome& a, const Outcome& b) {
  require(a.error == b.error, "the same error");
  require(a.blocks.size() == b.blocks.size(), "the same number of blocks");
  for (std::size_t k = 0; k < a.blocks.size(); ++k) {
    require(a.blocks[k].places == b.blocks[k].places && a.blocks[k].values == b.blocks[k].values &&
                a.blocks[k].lines == b.blocks[k].lines,
            "the same blocks");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome whole = read(text, data[0], nullptr);
  for (const NamedRows& rows : whole.blocks) check(rows, data[0]);
  Random random(data[1]);
  const auto piece = [&] { return 1 + random.below(1 + data[1]); };
  require_same(whole, read(text, data[0], piece));
  return 0;
}
