// The certificate of a model of at most K features: its objective, and a bound for all others.
#pragma once

#include <string>
#include <vector>

#include "certify/examination.hpp"
#include "certify/subset_bound.hpp"
#include "thresh/certificate.hpp"

namespace thresh {

// Adds everything but the rows. `part` is the model of the class whose certificate it is.
void add_subset_bound(const Examination& found, const DualPoint& dual, std::size_t part,
                      Record& claim);

// What a certificate says, or the sum of what those of all classes say.
struct SubsetFacts {
  double ridge = 0, objective = 0, bound = 0, constant = 0;
  std::uint64_t features = 0, proved_in = 0, proved_out = 0, occurring = 0;
  std::size_t classes = 1;

  explicit SubsetFacts(const Record& claim);
  std::string gap_text() const;
  std::string screening_text() const;
};
std::vector<std::string> subset_lines(const Record& claim, const Model& model);

// Checks the claim, one fact after the other, until one is wrong.
std::vector<Check> check_subset_bound(const Examination& found, const Record& claim);

}  // namespace thresh
