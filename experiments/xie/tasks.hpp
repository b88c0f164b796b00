// The eight tasks of Xie et al., Table 2.
#pragma once

#include <string>
#include <vector>

#include "common/texts.hpp"

namespace thresh::experiments {

struct XieTask {
  std::string name;
  PartSizes sizes;         // ours
  std::uint64_t features;  // the paper's
  const char* density;     // that a model may have
};

// Six pairs of newsgroups, of the paper's sizes; rcv1, in the paper's proportions; and, for
// webspam, mails as hashed runs of characters, a tenth of the paper's sizes.
const std::vector<XieTask>& xie_tasks();
std::vector<std::string> newsgroup_tasks();

// For GraDes: the training rows of a newsgroups task with the 5,000 most frequent words, which
// weigh as in the other experiments, or are just there: 1 or 0. The latter comes nearest to the
// paper's eigenvalues, see docs/numerics.md.
enum class Weighting { present, tf_idf };
std::string few_words(const std::string& task, Weighting weighting);

std::vector<DataSpec> xie_data();

}  // namespace thresh::experiments
