// The two ways a call can fail. Everything thresh throws is an Error or a UsageError, with a
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

// Options::stop or ReadOptions::stop became true before there was a result.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// The call itself makes no sense: an unknown solver, contradictory options.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace thresh
