// The exceptions of thresh: Error, UsageError and classes derived from them. Messages have one line
// and name the file and line if there is one.
#pragma once

#include <stdexcept>
#include <string>

namespace thresh {

// Bad input or a failed system call: a malformed row, a missing file, a full disk.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Options::stop or ReadOptions::stop became true before there was a result.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// Invalid arguments: an unknown solver, contradictory options.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace thresh
