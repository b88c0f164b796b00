#include "capi/handles.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "thresh/error.hpp"
#include "thresh/version.hpp"

namespace thresh::capi {
namespace {

// Of a fixed size, so that running out of memory can be told, too.
thread_local char last_error[1024] = "";

}  // namespace

int fail(int code, const char* message) noexcept {
  std::strncpy(last_error, message, sizeof last_error - 1);
  return code;
}

int guarded(const std::function<void()>& work) noexcept {
  try {
    work();
    return THRESH_OK;
  } catch (const UsageError& error) {
    return fail(THRESH_BAD_USAGE, error.what());
  } catch (const Interrupted& error) {
    return fail(THRESH_STOPPED, error.what());
  } catch (const Error& error) {
    return fail(THRESH_BAD_INPUT, error.what());
  } catch (const std::bad_alloc&) {
    return fail(THRESH_NO_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(THRESH_INTERNAL, error.what());
  } catch (...) {
    return fail(THRESH_INTERNAL, "unknown error");
  }
}

char* copy_of(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace thresh::capi

using thresh::capi::guarded;

int thresh_abi(void) {
  return THRESH_ABI;
}
const char* thresh_version(void) {
  return thresh::version();
}
const char* thresh_error(void) {
  return thresh::capi::last_error;
}
void thresh_free(void* memory) {
  std::free(memory);
}

int thresh_settings_new(thresh_settings** settings) {
  return guarded([&] { *settings = new thresh_settings; });
}
void thresh_settings_free(thresh_settings* settings) {
  delete settings;
}
int thresh_settings_set(thresh_settings* settings, const char* name, const char* value) {
  return guarded([&] {
    std::string plain = name;
    for (char& c : plain) c = c == '_' ? '-' : c;
    settings->given.emplace_back(std::move(plain), value);
  });
}

int thresh_call_new(int (*on_progress)(void*, const thresh_progress*),
                    void (*on_message)(void*, const char*), void* context, thresh_call** call) {
  return guarded([&] {
    *call = new thresh_call;
    (*call)->on_progress = on_progress;
    (*call)->on_message = on_message;
    (*call)->context = context;
  });
}
void thresh_call_stop(thresh_call* call) {
  call->stop = true;
}
void thresh_call_free(thresh_call* call) {
  delete call;
}

void thresh_call::tell(const std::string& message) {
  if (on_message == nullptr || message.empty()) return;
  const std::lock_guard lock(mutex);
  on_message(context, message.c_str());
}

void thresh_call::show(const thresh_progress& progress) {
  constexpr std::chrono::milliseconds kPause{100};
  if (on_progress == nullptr) return;
  const std::lock_guard lock(mutex);
  if (stop) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last < kPause) return;
  last = now;
  if (on_progress(context, &progress) != 0) stop = true;
}

const thresh::Scorer& thresh_model::scorer() const {
  std::call_once(scorer_made_, [&] { scorer_.emplace(model); });
  return *scorer_;
}

const std::vector<thresh::Coefficient>& thresh_model::coefficients(std::uint64_t number) const {
  if (number >= parts()) {
    throw thresh::UsageError(fmt::format("part {} of a model with {}", number, parts()));
  }
  return model.classes.empty() ? model.coefficients : model.classes[number].coefficients;
}

double thresh_model::intercept(std::uint64_t number) const {
  return model.classes.empty() ? model.intercept : model.classes[number].intercept;
}

const thresh_model::Part& thresh_model::part(std::uint64_t number) const {
  coefficients(number);  // throws if there is none
  std::call_once(parts_made_, [&] {
    parts_.resize(parts());
    for (std::uint64_t p = 0; p < parts(); ++p) {
      for (const thresh::Coefficient& coefficient : coefficients(p)) {
        parts_[p].indices.push_back(coefficient.index);
        parts_[p].weights.push_back(coefficient.weight);
      }
    }
  });
  return parts_[number];
}
