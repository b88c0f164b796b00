#include "common/experiment.hpp"

namespace thresh::experiments {
Experiment dhingra() {
  return {"dhingra", "Learning large scale sparse models", {}, nullptr};
}
}  // namespace thresh::experiments
