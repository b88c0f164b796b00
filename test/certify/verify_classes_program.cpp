// Certificates of more than two classes: each against the rest, and one bound for all of them.

#include <fmt/format.h>

#include <utility>

#include "certify/verify_program.hpp"

class CliVerifyClasses : public CliVerify {
 protected:
  // Three classes, each with a feature of its own.
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 600; ++i) {
      const int c = i * 7 % 3;
      text += fmt::format("{} {}:1 {}:0.{}\n", c, c + 1, 4 + i % 20, 1 + i % 3);
    }
    dir.write("a.svm", text);
  }
  void perceptrons() const { certify({"--solver", "margin-perceptron", "--passes", "50"}); }
  void refuses(const std::function<void(Json& certificate)>& change, const std::string& why) const {
    forge([&](Json& header) { change(header["certificate"]); });
    EXPECT_TRUE(contains(refused(), why));
  }
};

TEST_F(CliVerifyClasses, CompressionHolds) {
  perceptrons();
  const std::string text = good({"verify", "m.thresh", "a.svm"});
  for (const char* part :
       {"class 0: kernel", "class 1: kernel", "class 2: kernel", "0 of 600 rows misclassified",
        "rows in the kernels of all classes together", "error on new rows below",
        "the certificate holds\n"}) {
    EXPECT_TRUE(contains(text, part));
  }
  const Json claim =
      Json::parse(lines_of(ScratchDir::slurp(dir.file("m.thresh"))).at(1)).at("certificate");
  ASSERT_EQ(claim.at("classes").size(), 3U);
  std::uint64_t rows = 0;
  for (const Json& part : claim.at("classes")) {
    EXPECT_LE(part.at("kernel_rows"), claim.at("kernel_rows"));
    EXPECT_FALSE(part.contains("bound"));
    rows += part.at("kernel_rows").get<std::uint64_t>();
  }
  EXPECT_LT(claim.at("kernel_rows"), rows);  // a row that made two classes learn counts once
  EXPECT_TRUE(contains(good({"train", "a.svm", "-o", "n.thresh", "--certify", "--solver",
                             "margin-perceptron", "--passes", "50"}),
                       "caused all updates of 3 classes, each against the rest"));
}

TEST_F(CliVerifyClasses, WhatIsTamperedWithIsFoundOut) {
  perceptrons();
  refuses([](Json& c) { c["kernel_rows"] = 1; }, "kernel: ");
  perceptrons();
  refuses([](Json& c) { c["errors"] = 1; }, "errors: 0 of 600 rows, not 1 of 600");
  perceptrons();
  refuses([](Json& c) { c["bound"] = 1e-3; }, "bound: ");
  perceptrons();
  refuses([](Json& c) { c["classes"][1]["kernel"] = "1 1"; }, "class 1: kernel: ");
  perceptrons();
  refuses([](Json& c) { c["classes"][2]["updates"] = 1; }, "class 2: kernel: ");
  perceptrons();
  refuses([](Json& c) { std::swap(c["classes"][0], c["classes"][1]); }, "class 0: data: ");
  perceptrons();
  refuses([](Json& c) { c["classes"].erase(0); }, "for another number of classes");
  perceptrons();  // a kernel that cannot be checked proves nothing
  refuses([](Json& c) { c["classes"][1]["started_from_model"] = true; }, "bound: does not apply");
  perceptrons();
  forge([](Json& header) { header["summary"]["updates"] = 5; });
  EXPECT_TRUE(contains(refused(), "kernel: classes made"));
  perceptrons();
  replace_in_data("0.3", "0.4");
  EXPECT_TRUE(contains(refused(), "class 0: data: "));
}

TEST_F(CliVerifyClasses, GapsHoldForEach) {
  certify({"--solver", "l1", "--lambda", "0.01"});
  const std::string text = good({"verify", "m.thresh", "a.svm"});
  for (const char* part : {"class 0: duality gap", "class 2: duality gap", "certificate holds"}) {
    EXPECT_TRUE(contains(text, part));
  }
  EXPECT_EQ(text.find("data "), text.rfind("data "));  // the same rows for all
  refuses([](Json& c) { c["classes"][1]["gap"] = 1e-9; }, "class 1: duality gap: ");
  certify({"--solver", "l1", "--lambda", "0.01"});
  refuses([](Json& c) { c["rows"] = 601; }, "data: 600 rows, not 601");
  certify({"--solver", "projected-gradient", "--radius", "2", "--class-weight", "balanced"});
  verified();
}

// Held-out rows, classes that ended at their budget, labels that are words.
TEST_F(CliVerifyClasses, OfAnyRows) {
  certify({"--solver", "margin-perceptron", "--holdout", "20%", "--seed", "3"});
  verified();
  certify({"--solver", "margin-perceptron", "--features", "6"});
  verified();
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "bound"));
  std::string table = "size,colour,label\n";
  for (int i = 0; i < 60; ++i) table += fmt::format("{},c{},kind{}\n", i % 7, i % 3, i % 3);
  dir.write("t.csv", table);
  silent({"train", "t.csv", "-q", "-o", "m.thresh", "--certify", "--solver", "margin-perceptron"});
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "t.csv"}), "class kind2: kernel"));
}

TEST_F(CliVerifyClasses, WhatHasNoPartsHasNone) {
  for (const Words& more :
       {Words{"--solver", "fobos", "--multiclass", "softmax"},
        Words{"--solver", "l1", "--lambda-ratio", "0.1"},
        Words{"--solver", "margin-perceptron", "--features", "9", "--shared-budget"}}) {
    Words words{"train", "a.svm", "--certify", "-o", "m.thresh"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_TRUE(contains(bad(1, words), "no certificate: there are more than two classes, and "));
  }
  EXPECT_FALSE(exists("m.thresh"));
}
