// Models with certificates, and ways to tamper with them.
#pragma once

#include <functional>

#include "tools/program.hpp"

class CliVerify : public CliTest {
 protected:
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 400; ++i) {
      const int sign = i * 7 % 3 == 0 ? 1 : -1;
      text += std::string(sign > 0 ? "+1" : "-1") + " 1:" + (sign > 0 ? "0.2" : "-0.2") + " " +
              std::to_string(2 + i % 20) + ":0." + std::to_string(1 + i % 5) + "\n";
    }
    dir.write("a.svm", text);
  }

  void certify(Words more) const {
    Words words{"train", "a.svm", "-o", "m.thresh", "-q", "--certify"};
    words.insert(words.end(), more.begin(), more.end());
    silent(words);
  }
  void perceptron() const { certify({"--solver", "margin-perceptron"}); }
  void l1() const { certify({"--solver", "l1", "--lambda-ratio", "0.1"}); }
  void verified() const {
    EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "the certificate holds"));
  }
  std::string refused() const { return bad(1, {"verify", "m.thresh", "a.svm", "-q"}); }

  // Changes the header, and seals the file anew.
  void forge(const std::function<void(Json&)>& change) const {
    Words lines = lines_of(ScratchDir::slurp(dir.file("m.thresh")));
    Json header = Json::parse(lines.at(1));
    change(header);
    dir.write("m.thresh",
              handmade_model(header.dump(), {lines.begin() + 2, lines.end() - 1}, lines.at(0)));
  }
  void forge_weight() const {
    Words lines = lines_of(ScratchDir::slurp(dir.file("m.thresh")));
    lines.at(2) = "1\t0.5";
    dir.write("m.thresh", handmade_model(lines.at(1), {lines.begin() + 2, lines.end() - 1}));
  }
  void replace_in_data(const std::string& from, const std::string& to) const {
    std::string text = ScratchDir::slurp(dir.file("a.svm"));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    dir.write("a.svm", text.replace(at, from.size(), to));
  }
};
