// Settings of thresh_train() that name files from which a later call goes on: "checkpoint" (with
// "checkpoint-every"), "save-state" and "from".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capi/settings.hpp"
#include "thresh/checkpoint.hpp"
#include "thresh/learner_state.hpp"

namespace thresh::capi {

class GoingOn {
 public:
  static const std::vector<std::string>& names();

  // Sets the options of the run. Throws UsageError if this data cannot go on, before all work.
  GoingOn(const thresh_settings* given, const thresh_data& data, const thresh_data* valid,
          const thresh_model* start, Parsed& settings);
  // When the run has ended.
  void finish(const Trained& trained);

 private:
  void take_state(const std::string& path, Parsed& settings);
  void begin_state(const std::string& path, Parsed& settings);
  void begin_checkpoint(const thresh_settings& given, const std::vector<std::string>& paths,
                        Parsed& settings);

  std::shared_ptr<const LearnerState> state_;
  std::optional<Checkpoint> saved_state_;
  std::unique_ptr<Checkpoint> checkpoint_;
};

}  // namespace thresh::capi
