// MNIST by similarities to some of its digits: Duchi et al., eq. 12 and Figure 7.
#pragma once

#include "common/experiment.hpp"

namespace thresh::experiments {

DataSpec digits_data();
void add_digits(const Context& context, Report& report);

}  // namespace thresh::experiments
