// --checkpoint of the commands that train, and what `thresh resume` leaves to main().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thresh/checkpoint.hpp"
#include "train_options.hpp"

namespace thresh::cli {

// The words of the command line after the name of the program. Set by main().
extern std::vector<std::string> arguments;
// The run that `thresh resume` found in a file. main() gives its command to the parser again.
extern std::shared_ptr<Checkpoint> resumed;

void add_checkpoint_options(CLI::App& command, TrainCommand& c);

// With --checkpoint: makes the checkpoint of the command, or takes that of the resumed run. Rows
// from a pipe are copied beside it first. Call it before anything reads the data.
void begin_checkpoint(TrainCommand& c);
// Call it once all results are written.
void end_checkpoint(const TrainCommand& c);

}  // namespace thresh::cli
