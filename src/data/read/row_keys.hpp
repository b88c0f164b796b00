// Which rows of a table belong together, or when they happened: --group and --time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace thresh {

struct RowKeys {
  // By Row::id. One of them is empty.
  std::vector<std::uint32_t> groups;  // numbered by first appearance
  std::vector<double> times;          // before settle(): as in the table; after: the share of the
                                      // rows that are earlier, in [0, 1)

  bool by_time() const { return !times.empty(); }

  // Replaces times by shares. Rows of the same time have the same share.
  void settle() {
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    std::vector<double> shares(times.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool tie = i > 0 && times[order[i]] == times[order[i - 1]];
      shares[order[i]] =
          tie ? shares[order[i - 1]] : static_cast<double>(i) / static_cast<double>(times.size());
    }
    times = std::move(shares);
  }
};

}  // namespace thresh
