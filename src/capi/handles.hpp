// What the handles of include/thresh/thresh.h are, and how exceptions become error codes.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "thresh/matrix.hpp"
#include "thresh/scorer.hpp"
#include "thresh/select.hpp"
#include "thresh/table.hpp"
#include "thresh/thresh.h"

struct thresh_settings {
  std::vector<std::pair<std::string, std::string>> given;  // in the order they were set
};

namespace thresh::capi {

struct Batches {
  thresh_next_batch next;
  void* context;
};
struct Texts {
  std::string lines;  // LABEL<TAB>TEXT
  std::uint64_t count;
  std::vector<std::string> texts;  // to predict
  std::vector<double> weights;     // of the rows; empty: all equal
};
struct MatrixData {
  MatrixView view;
  std::vector<std::string> feature_names;
};
struct Path {
  std::string path;
};
// Sets the message of this thread.
int fail(int code, const char* message) noexcept;

// Runs `work` and turns exceptions into codes.
int guarded(const std::function<void()>& work) noexcept;

// A copy that thresh_free() frees.
char* copy_of(const std::string& text);

MatrixView view_of(const thresh_matrix& matrix);

std::vector<std::string> strings_of(const char* const* texts, std::uint64_t count);

}  // namespace thresh::capi

struct thresh_data {
  std::variant<thresh::capi::MatrixData, thresh::capi::Path, thresh::capi::Batches,
               thresh::capi::Texts, thresh::MemoryTable>
      content;
};

struct thresh_call {
  int (*on_progress)(void* context, const thresh_progress* progress) = nullptr;
  void (*on_message)(void* context, const char* message) = nullptr;
  void* context = nullptr;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::chrono::steady_clock::time_point last;

  void tell(const std::string& message);
  // Calls on_progress() unless it was called a moment ago.
  void show(const thresh_progress& progress);
};

struct thresh_model {
  explicit thresh_model(thresh::Model made) : model(std::move(made)) {}
  thresh::Model model;
  // Made at the first use.
  const thresh::Scorer& scorer() const;
  struct Part {
    std::vector<std::uint64_t> indices;
    std::vector<double> weights;
  };
  const Part& part(std::uint64_t number) const;
  // The part's own coefficients. Throws UsageError if there is no such part.
  const std::vector<thresh::Coefficient>& coefficients(std::uint64_t number) const;
  double intercept(std::uint64_t number) const;
  std::uint64_t parts() const { return model.classes.empty() ? 1 : model.classes.size(); }

 private:
  mutable std::once_flag scorer_made_, parts_made_;
  mutable std::optional<thresh::Scorer> scorer_;
  mutable std::vector<Part> parts_;
};
