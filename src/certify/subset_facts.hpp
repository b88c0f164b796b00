// What the certificate of a feature budget says, in numbers and in words.
#pragma once

#include <string>
#include <vector>

#include "thresh/model.hpp"

namespace thresh {

// What a certificate says, or the sum of what those of all classes say.
struct SubsetFacts {
  double ridge = 0, objective = 0, bound = 0, constant = 0;
  std::uint64_t features = 0, proved_in = 0, proved_out = 0, occurring = 0;
  std::size_t classes = 1;

  explicit SubsetFacts(const Record& claim);
  std::string gap_text() const;
  std::string screening_text() const;
};
std::string problem_text(const SubsetFacts& facts, const Record& claim, const Model& model);
std::vector<std::string> subset_lines(const Record& claim, const Model& model);

}  // namespace thresh
