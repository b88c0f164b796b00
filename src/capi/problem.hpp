// Opens data as a problem, for all functions that learn.
#pragma once

#include <nlohmann/json.hpp>

#include "capi/settings.hpp"

namespace thresh::capi {

using Json = nlohmann::ordered_json;

// `once`: one pass in order is enough.
Problem open(const thresh_data& data, const thresh_data* valid, Parsed& settings,
             bool once = false);
// Throws UsageError for a setting of texts and another format.
void check_settings(const Parsed& settings, Format format);
// Sets how a table in memory is read. Throws UsageError if settings do not go with it.
void read_as_table(const MemoryTable& data, Parsed& settings);
// The batches as views; each is valid until the next one is asked for.
NextBatch next_batch(const Batches& batches);
// Gives the features of a matrix their names.
void name_features(const thresh_data& data, Model& model);

// A file in memory with the lines of texts.
class TextFile {
 public:
  explicit TextFile(const std::string& lines);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  std::string path() const;

 private:
  int fd_;
};

// Shows the progress of a search.
class SearchWatch : public SelectObserver {
 public:
  SearchWatch(thresh_call* call, const char* doing) : call_(call), doing_(doing) {}
  void on_progress(const Progress& progress) override {
    if (call_ != nullptr) call_->show({doing_, progress.share, 0, 0, 0});
  }

 private:
  thresh_call* call_;
  const char* doing_;
};

// Shows the progress of a run.
class RunWatch : public Observer {
 public:
  explicit RunWatch(thresh_call* call) : call_(call) {}
  bool wants_progress(const Progress& at) const override;
  void on_progress(const Progress& at) override;
  void on_warning(const std::string& warning) override {
    if (call_ != nullptr) call_->tell(warning);
  }

 private:
  thresh_call* call_;
};

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
// Names may be in any encoding; JSON is UTF-8.
inline void hand_over(const Json& json, char** out) {
  if (out != nullptr) *out = copy_of(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace thresh::capi
