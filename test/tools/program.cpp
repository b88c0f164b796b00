#include "tools/program.hpp"

#include <algorithm>
#include <filesystem>

std::string complaint(const Result& result) {
  const std::string& text = result.err;
  const bool one_line = !text.empty() && text.find('\n') == text.size() - 1;
  EXPECT_TRUE(one_line && text.starts_with("thresh: ")) << result;
  return text.substr(0, text.find('\n'));
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in \"" << text << '"';
}

Command CliTest::command(Words arguments) const {
  const bool named = std::count(arguments.begin(), arguments.end(), "--solver") > 0;
  if (!default_solver.empty() && !named && !arguments.empty() && arguments[0] == "train") {
    arguments.insert(arguments.end(), {"--solver", default_solver});
  }
  Command command;
  command.arguments = std::move(arguments);
  command.folder = dir.path;
  return command;
}

Result CliTest::thresh(Words arguments) const {
  return run(command(std::move(arguments)));
}

Result CliTest::thresh_reading(const std::string& input, Words arguments) const {
  Command piped = command(std::move(arguments));
  piped.input_pipe = true;
  Process process(piped);
  process.feed(input);
  process.close_input();
  return process.finish();
}

std::string CliTest::good(Words arguments) const {
  const Result result = thresh(std::move(arguments));
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_EQ(result.err.find("thresh: "), std::string::npos) << result;
  return result.out;
}

void CliTest::silent(Words arguments) const {
  const Result result = thresh(std::move(arguments));
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_EQ(result.out + result.err, "") << result;
}

Json CliTest::good_json(Words arguments) const {
  const std::string text = good(std::move(arguments));
  Json json = Json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << text;
  return json;
}

std::string CliTest::bad(int exit, Words arguments) const {
  const Result result = thresh(std::move(arguments));
  EXPECT_EQ(result.exit, exit) << result;
  EXPECT_EQ(result.out, "") << result;
  return complaint(result);
}

std::string CliTest::bad_after_warnings(int exit, Words arguments) const {
  const Result result = thresh(std::move(arguments));
  EXPECT_EQ(result.exit, exit) << result;
  EXPECT_EQ(result.out, "") << result;
  const Words lines = lines_of(result.err);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with("thresh: warning: ")) << result;
  }
  return lines.empty() ? "" : lines.back();
}

std::string CliTest::train(Words arguments, const std::string& model) const {
  arguments.insert(arguments.begin(), "train");
  arguments.insert(arguments.end(), {"-q", "-o", model});
  silent(std::move(arguments));
  return exists(model) ? ScratchDir::slurp(dir.file(model)) : "";
}

std::vector<Weight> CliTest::weights(const std::string& model) const {
  return parse_weights(good({"weights", model}));
}

double CliTest::intercept(const std::string& model) const {
  return good_json({"weights", model, "--intercept", "--json"}).value("intercept", -1e9);
}

std::vector<double> CliTest::margins(const std::string& model, const std::string& data) const {
  return parse_numbers(good({"predict", model, data, "--output", "margin"}));
}

Words CliTest::files() const {
  Words names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool CliTest::exists(const std::string& name) const {
  return std::filesystem::exists(dir.file(name));
}
