// The flags for reading data: formats, tables, texts, caches.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "thresh/model.hpp"
#include "thresh/rows.hpp"

namespace thresh::cli {

// The options for raw text, as on the command line.
struct TextFlags {
  std::string ngrams, chars, stop_words, min_df = "1", max_df = "100%", tf = "count", norm = "l2";
  bool keep_case = false;
  bool idf = true;
  TextOptions options;
  std::vector<CLI::Option*> all;  // of the command
};

void add_text_options(CLI::App& command, TextFlags& flags);
// Throws UsageError if one is set but the data have another format.
void check_text_flags(const TextFlags& flags, Format format, bool text_columns);
// Throws UsageError for invalid values.
TextOptions finish(const TextFlags& flags);

// Flags for reading a data file.
struct ReadFlags {
  ReadOptions options;
  std::string normalize = "none";
  std::string scale = "auto";  // only for commands that train
  std::string on_bad_row = "stop";
  bool no_cache = false;
  bool cache = false;
  std::string format = "auto";
  TextFlags text;
  std::string delimiter;
  std::string missing = "mean";
};
void add_read_flags(CLI::App& command, ReadFlags& flags);
// Flags for data with feature names: roles of columns, and hashing.
void add_naming_flags(CLI::App& command, ReadFlags& flags);
// Flags of the file rather than the model: its format, and the treatment of bad rows. All commands
// that read data have them.
void add_file_flags(CLI::App& command, ReadFlags& flags);
ReadOptions finish(const ReadFlags& flags);
// The same for data of a model: read like its training data, unless flags override that.
ReadOptions finish(const ReadFlags& flags, const Model& model);
// For the training rows of a model, with all their features. The model knows only the names of its
// own features, so names are numbered anew, as in training.
ReadOptions finish_as_for_training(const ReadFlags& flags, const Model& model);

}  // namespace thresh::cli
