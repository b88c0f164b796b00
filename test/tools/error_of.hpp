// What went wrong, as a string, so that a test can compare it.
#pragma once

#include <functional>
#include <string>

#include "thresh/error.hpp"

// The message of the thresh::Error that `action` throws, or "" if it throws none. Anything else
// that is thrown goes on and fails the test, as it should.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const thresh::Error& error) {
    return error.what();
  }
  return "";
}

// The same for a thresh::UsageError.
inline std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const thresh::UsageError& error) {
    return error.what();
  }
  return "";
}
