// The two ways a call can fail. Everything thresh throws is one of these, with a
// one-line message that names the file and line where there is one.
#pragma once

#include <stdexcept>
#include <string>

namespace thresh {

// Bad input or a failing system call: a broken row, a missing file, a full disk.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The call itself makes no sense: an unknown solver, contradictory options.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace thresh
