// thresh_cache_write(): what `thresh cache` does.
#include <algorithm>
#include <filesystem>

#include "capi/problem.hpp"
#include "thresh/convert.hpp"
#include "thresh/error.hpp"

int thresh_cache_write(const thresh_settings* settings, const char* data_path,
                       const char* cache_path, thresh_call* call, char** report) {
  return thresh::capi::guarded([&] {
    thresh::capi::Parsed how = thresh::capi::parsed(settings, call);
    for (const std::string& name : how.names) {
      const auto& reading = thresh::capi::reading_options();
      const bool known = std::any_of(reading.begin(), reading.end(), [&](const auto& option) {
        return option.name == name && option.group != "Learning";
      });
      if (!known || name == "cache" || name == "scale") {
        throw thresh::UsageError("--" + name + " does not apply to caches");
      }
    }
    std::error_code ignored;  // there may be no such files yet
    if (std::filesystem::equivalent(data_path, cache_path, ignored)) {
      throw thresh::UsageError(std::string(cache_path) + " would overwrite the data");
    }
    thresh::capi::check_settings(how, thresh::format_of(data_path, how.read.format));
    how.read.cache = thresh::ReadOptions::Cache::none;
    const thresh::CacheMade made = thresh::make_cache(data_path, cache_path, how.read);
    if (call != nullptr && !made.note.empty()) call->tell(made.note);
    const thresh::Survey& survey = made.survey;
    thresh::capi::hand_over({{"rows", survey.rows},
                             {"bad_rows", survey.bad_rows},
                             {"dimension", survey.dimension},
                             {"text_bytes", survey.bytes},
                             {"bytes", std::filesystem::file_size(cache_path)}},
                            report);
  });
}
