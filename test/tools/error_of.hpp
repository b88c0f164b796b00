// The message of an error, for tests to compare.
#pragma once

#include <functional>
#include <string>

#include "thresh/error.hpp"

// The message of the thresh::Error that `action` throws, or "" if it throws none. Other exceptions
// are not caught and fail the test.
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
