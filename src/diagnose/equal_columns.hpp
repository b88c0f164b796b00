// Finds identical rows and checks whether their labels agree.
//
// Rows are identified by their hash. Memory is bounded: if there are too many distinct rows, only
// those whose hash begins with one more zero bit are tracked. Copies have the same hash and are
// dropped together, so the shares stay unbiased.
#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>

namespace thresh {

class Twins {
 public:
  explicit Twins(std::size_t most = std::size_t{1} << 22) : most_(most) {}

  void add(std::uint64_t hash, double label) {
    if (!followed(hash)) return;
    ++rows_;
    const auto [at, fresh] = kinds_.try_emplace(hash, Kind{label, 0, 0});
    Kind& kind = at.value();
    ++(kind.label == label ? kind.same : kind.other);
    while (kinds_.size() > most_) thin_out();
  }

  // Counts over the tracked rows: all; those with a copy; those whose label disagrees with most of
  // their copies. With more than two classes, all but the first label count as one.
  struct Counts {
    std::uint64_t rows = 0, copies = 0, outvoted = 0;
    double share_followed = 1;  // approximate share of all rows
  };
  Counts counts() const {
    Counts counts;
    counts.rows = rows_;
    for (unsigned i = 0; i < zeros_; ++i) counts.share_followed /= 2;
    for (const auto& [hash, kind] : kinds_) {
      if (kind.same + kind.other < 2) continue;
      counts.copies += kind.same + kind.other;
      counts.outvoted += std::min(kind.same, kind.other);
    }
    return counts;
  }

 private:
  struct Kind {
    double label;
    std::uint32_t same, other;
  };
  struct Identity {
    std::size_t operator()(std::uint64_t hash) const { return hash; }
  };

  bool followed(std::uint64_t hash) const { return zeros_ == 0 || hash >> (64 - zeros_) == 0; }

  void thin_out() {
    ++zeros_;
    for (auto at = kinds_.begin(); at != kinds_.end();) {
      if (followed(at->first)) {
        ++at;
      } else {
        rows_ -= at->second.same + at->second.other;
        at = kinds_.erase(at);
      }
    }
  }

  std::size_t most_;
  unsigned zeros_ = 0;  // leading zero bits required of a hash
  std::uint64_t rows_ = 0;
  tsl::robin_map<std::uint64_t, Kind, Identity> kinds_;
};

}  // namespace thresh
