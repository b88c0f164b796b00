// The options of texts as the user writes them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "thresh/rows.hpp"

namespace thresh::cli {

struct TextFlags {
  std::string ngrams, chars, stop_words, min_df = "1", max_df = "100%", tf = "count", norm = "l2";
  bool keep_case = false;
  bool idf = true;
  TextOptions options;
  std::vector<CLI::Option*> all;  // of the command
};

void add_text_options(CLI::App& command, TextFlags& flags);
// Throws UsageError if the user wrote one for data of another format.
void check_text_flags(const TextFlags& flags, Format format);
// Throws UsageError for what makes no sense.
TextOptions finish(const TextFlags& flags);

}  // namespace thresh::cli
