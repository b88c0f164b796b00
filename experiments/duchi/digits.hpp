// MNIST by similarities to some of its digits: Duchi et al., eq. 12 and Figure 7.
#pragma once

#include "common/experiment.hpp"

namespace thresh::experiments {

std::vector<DataSpec> digits_data();  // and those of the repetitions
void add_digits(const Context& context, Report& report);

}  // namespace thresh::experiments
