// The fixture of all CLI tests: a scratch folder as the working folder, and short ways to call.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/data.hpp"
#include "tools/run.hpp"
#include "tools/scratch.hpp"

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// The one line on standard error that a failing program owes its user, without the line feed.
// Anything else (no line, two lines, no "thresh: ") fails the test.
std::string complaint(const Result& result);

testing::AssertionResult contains(const std::string& text, const std::string& part);

class CliTest : public testing::Test {
 protected:
  Command command(Words arguments) const;
  Result thresh(Words arguments) const;
  Result thresh_reading(const std::string& input, Words arguments) const;  // from a pipe

  // Must succeed, with nothing but progress on standard error; what it printed.
  std::string good(Words arguments) const;
  // Must succeed without a word.
  void silent(Words arguments) const;
  Json good_json(Words arguments) const;
  // Must exit with this code and one line; that line.
  std::string bad(int exit, Words arguments) const;
  // The same where warnings come before that line.
  std::string bad_after_warnings(int exit, Words arguments) const;

  // Trains quietly and returns the model file's content.
  std::string train(Words arguments, const std::string& model = "m.thresh") const;
  std::vector<Weight> weights(const std::string& model = "m.thresh") const;
  double intercept(const std::string& model = "m.thresh") const;
  std::vector<double> margins(const std::string& model, const std::string& data) const;

  // Names in the working folder, sorted.
  Words files() const;
  bool exists(const std::string& name) const;

  // What `train` learns with unless a test says so. Most tests are about what surrounds a solver,
  // and this one does exactly what it is told; "" leaves the choice to the program.
  std::string default_solver = "margin-perceptron";

  ScratchDir dir;
};
