// Features that are similarities to the rows of a file: Duchi et al., section 7.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thresh/rows.hpp"

namespace thresh {

// K(x, s_i) = exp(-|x - s_i|^2 / width) for the rows s_1, s_2, ... of a file.
class KernelExpansion {
 public:
  // Reads the whole file. Similarities below `smallest` are omitted.
  KernelExpansion(const std::shared_ptr<RowSource>& support, double width, double smallest);

  // The labels of s_1, s_2, ...
  const std::vector<double>& labels() const { return labels_; }
  // Rows as libsvm text, in their order, with feature i = K(x, s_i). On all cores.
  std::string expand(std::span<const Row> rows) const;

 private:
  std::string expand_row(const Row& row) const;

  struct Entry {
    std::uint32_t support;
    double value;
  };
  double width_;
  double smallest_;
  std::vector<double> labels_;
  std::vector<double> squares_;              // |s_i|^2
  std::vector<std::vector<Entry>> columns_;  // by slot
};

}  // namespace thresh
