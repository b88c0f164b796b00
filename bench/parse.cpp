// Megabytes a second that one core parses, against a plain loop with fast_float.
//
// All contestants get the same blocks of text in memory. First they must agree on every label,
// index and value, bit for bit; then they take turns, so that a busy moment of the machine does not
// hit one alone. Beside the whole parser stand the two ways to read entries that it chooses from.
// The loops write into memory that they keep; only the whole parser makes new blocks, as in
// training.

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>

#include "data/read/cutter.hpp"
#include "data/read/entries.hpp"
#include "data/read/number.hpp"

namespace {

using namespace thresh;

// Of this thread on its core: waiting for others to leave it does not count.
double seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string read_padded(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) throw Error(fmt::format("{}: nothing to read", path));
  if (text.back() != '\n') text += '\n';
  return text + std::string(kTextPadding, '7');
}

std::vector<TextBlock> cut(const std::string& padded) {
  std::vector<TextBlock> blocks;
  const char* const text_end = padded.data() + padded.size() - kTextPadding;
  for (const char* begin = padded.data(); begin < text_end;) {
    BlockRule rule;
    const char* p = begin;
    while (p < text_end && !rule.full()) {
      const auto* const feed =
          static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(text_end - p)));
      const LineShape shape = line_shape(p, feed);
      rule.add(static_cast<std::uint64_t>(feed + 1 - p), shape.entries, shape.is_row);
      p = feed + 1;
    }
    blocks.push_back({{begin, static_cast<std::size_t>(p - begin)}, 1, 0, rule.entries});
    begin = p;
  }
  return blocks;
}

// What a loop has read: everything, or the last block.
struct Parsed {
  std::vector<double> labels;
  std::vector<std::uint64_t> ids;
  std::vector<double> values;
};

using ReadRow = std::size_t (*)(const char* p, const char* end, double& label, std::uint64_t* ids,
                                double* values);

// The loop that anybody would write: number by number, fast_float for those that have a point.
std::size_t read_row_naive(const char* p, const char* end, double& label, std::uint64_t* ids,
                           double* values) {
  std::size_t n = 0;
  if (*p == '+') ++p;
  p = fast_float::from_chars(p, end, label).ptr;
  while (p < end) {
    while (p < end && *p == ' ') ++p;
    if (p == end) break;
    std::uint64_t index = 0;
    while (is_digit(*p)) index = index * 10 + static_cast<std::uint64_t>(*p++ - '0');
    if (*p != ':') throw Error("expected a colon");
    const auto [rest, status] = fast_float::from_chars(p + 1, end, values[n]);
    if (status != std::errc()) throw Error("expected a number");
    p = rest;
    ids[n++] = index - 1;
  }
  return n;
}

template <const char* (*read)(const char*, const char*, Entries&)>
std::size_t read_row(const char* p, const char* end, double& label, std::uint64_t* ids,
                     double* values) {
  Entries row;
  row.id_end = FeatureMap::kMaxIndex;
  row.ids = ids;
  row.values = values;
  row.room = std::size_t{1} << 40;
  if (!parse_number(p, end, label)) throw Error("expected a label");
  if (read(p, end, row) != end) throw Error("expected an entry");
  return row.size;
}

template <ReadRow read>
void read_block(const TextBlock& block, Parsed& out) {
  if (out.ids.size() < block.entries) {
    out.ids.resize(block.entries);
    out.values.resize(block.entries);
  }
  out.labels.clear();
  std::size_t size = 0;
  const char* p = block.text.data();
  const char* const text_end = p + block.text.size();
  while (p < text_end) {
    const auto* const end =
        static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(text_end - p)));
    double label = 0;
    size += read(p, end, label, out.ids.data() + size, out.values.data() + size);
    out.labels.push_back(label);
    p = end + 1;
  }
}

template <ReadRow read>
void run(const std::vector<TextBlock>& blocks, Parsed* all) {
  static Parsed last;
  for (const TextBlock& block : blocks) {
    read_block<read>(block, last);
    if (all == nullptr) continue;
    const auto n = static_cast<std::ptrdiff_t>(block.entries);
    all->labels.insert(all->labels.end(), last.labels.begin(), last.labels.end());
    all->ids.insert(all->ids.end(), last.ids.begin(), last.ids.begin() + n);
    all->values.insert(all->values.end(), last.values.begin(), last.values.begin() + n);
  }
}

void run_parser(const std::vector<TextBlock>& blocks, Parsed* all) {
  const LibsvmParser parser("data", {}, std::make_shared<FeatureMap>());
  for (const TextBlock& block : blocks) {
    const std::shared_ptr<RowBlock> rows = parser.parse(block);
    if (all == nullptr) continue;
    all->labels.insert(all->labels.end(), rows->labels.begin(), rows->labels.end());
    all->ids.insert(all->ids.end(), rows->slots.begin(), rows->slots.end());
    all->values.insert(all->values.end(), rows->values.begin(), rows->values.end());
  }
}

struct Contestant {
  const char* name;
  std::function<void(const std::vector<TextBlock>&, Parsed*)> run;
  std::vector<double> times = {};
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

void expect_agreement(const std::vector<Contestant>& contestants,
                      const std::vector<TextBlock>& blocks) {
  Parsed first;
  for (const Contestant& contestant : contestants) {
    Parsed parsed;
    contestant.run(blocks, &parsed);
    if (&contestant == &contestants.front()) {
      first = std::move(parsed);
      fmt::print("{} rows, {} values: ", first.labels.size(), first.values.size());
    } else if (parsed.ids != first.ids || !same_bits(parsed.labels, first.labels) ||
               !same_bits(parsed.values, first.values)) {
      throw Error(fmt::format("{} reads something else than {}", contestant.name,
                              contestants.front().name));
    }
  }
  fmt::print("all agree\n");
}

void measure(const char* path, int turns) {
  const std::string text = read_padded(path);
  const std::vector<TextBlock> blocks = cut(text);
  fmt::print("{}: ", std::strrchr(path, '/') != nullptr ? std::strrchr(path, '/') + 1 : path);
  std::vector<Contestant> contestants = {
      {"fast_float loop", run<read_row_naive>},
      {"entries, plain", run<read_row<read_entries_plain>>},
      {"entries, as chosen", run<read_row<read_entries>>},
      {"whole parser", run_parser},
  };
  expect_agreement(contestants, blocks);
  for (int turn = 0; turn < turns; ++turn) {
    for (Contestant& contestant : contestants) {
      const double start = seconds();
      contestant.run(blocks, nullptr);
      contestant.times.push_back(seconds() - start);
    }
  }
  double naive = 0;
  std::uint64_t entries = 0;
  for (const TextBlock& block : blocks) entries += block.entries;
  const auto bytes = static_cast<double>(text.size() - kTextPadding);
  for (Contestant& contestant : contestants) {
    std::vector<double>& times = contestant.times;
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    if (naive == 0) naive = median;
    fmt::print("  {:<19} {:6.0f} MB/s ({:.0f} to {:.0f}) {:6.1f} ns a value  loop/this {:5.2f}\n",
               contestant.name, bytes / median / 1e6, bytes / times.back() / 1e6,
               bytes / times.front() / 1e6, median / static_cast<double>(entries) * 1e9,
               naive / median);
  }
}

}  // namespace

// Usage: bench_parse TURNS FILE...
int main(int argc, char** argv) {
  try {
    for (int i = 2; i < argc; ++i) measure(argv[i], std::atoi(argv[1]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_parse: {}\n", error.what());
    return 1;
  }
}
