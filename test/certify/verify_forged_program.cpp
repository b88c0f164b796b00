// verify: whatever is tampered with is found out.

#include "certify/verify_program.hpp"

TEST_F(CliVerify, OtherDataAreRefused) {
  for (const bool is_l1 : {false, true}) {
    SetUp();
    is_l1 ? l1() : perceptron();
    replace_in_data("0.3", "0.4");
    EXPECT_TRUE(contains(refused(), "m.thresh: the certificate does not hold: data: the rows"));
    SetUp();
    replace_in_data("-1 1:-0.2", "+1 1:-0.2");
    EXPECT_TRUE(contains(refused(), "data: the rows"));
    SetUp();
    replace_in_data("-1 1:-0.2 3:0.2\n", "");
    EXPECT_TRUE(contains(refused(), "data: 399 rows, not 400"));
  }
}

TEST_F(CliVerify, OtherWeightsAreRefused) {
  perceptron();
  forge_weight();
  EXPECT_TRUE(contains(refused(), "kernel: its rows give another model"));
  perceptron();
  forge([](Json& header) { header["intercept"] = header["intercept"].get<double>() + 100; });
  EXPECT_TRUE(contains(refused(), "errors: "));
  l1();
  forge([](Json& header) { header["intercept"] = header["intercept"].get<double>() + 1e-3; });
  EXPECT_TRUE(contains(refused(), "objective: "));
}

TEST_F(CliVerify, OtherNumbersAreRefused) {
  const auto refuses = [&](const char* key, const Json& value, const std::string& why) {
    forge([&](Json& header) { header["certificate"][key] = value; });
    EXPECT_TRUE(contains(refused(), why)) << key;
  };
  perceptron();
  refuses("errors", 1, "errors: 0, not 1");
  perceptron();
  refuses("bound", 0.001, "bound: 0.");
  perceptron();  // what another machine's logarithms may differ by
  forge([](Json& header) {
    Json& bound = header["certificate"]["bound"];
    bound = bound.get<double>() * (1 + 1e-11);
  });
  verified();
  perceptron();
  refuses("bound", nullptr, "bound: it applies");
  perceptron();
  refuses("does_not_apply", "the moon is full", "bound: it applies, but a reason");
  perceptron();
  refuses("delta", 0.5, "bound: 0.");
  perceptron();
  refuses("kernel_rows", 1, "rows are listed, not 1");
  perceptron();
  refuses("kernel", "1 1 1", "kernel: ");
  perceptron();
  refuses("kernel", "401", "row numbers of the certificate are damaged");
  perceptron();
  refuses("updates", 1, "kernel: its rows cause");
  perceptron();
  refuses("kind", "duality gap", "is not for the solver margin-perceptron");
  l1();
  refuses("gap", 1e-9, "duality gap: ");
  l1();
  refuses("objective", 0.1, "objective: ");
  l1();
  refuses("lambda", 0.5, "lambda: ");
  l1();
  forge([](Json& header) { header["summary"]["theory"][2]["value"] = 0; });
  EXPECT_TRUE(contains(refused(), "but the solver reported 0"));
  l1();
  forge([](Json& header) { header["certificate"].erase("gap"); });
  EXPECT_EQ(refused(), "thresh: m.thresh: the certificate is damaged");
}

TEST_F(CliVerify, FailureIsAlsoJson) {
  perceptron();
  replace_in_data("0.3", "0.4");
  const Result result = thresh({"verify", "m.thresh", "a.svm", "--json"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(Json::parse(result.out).at("holds"), false);
}

TEST_F(CliVerify, ABoundIsWithheldWhereItDoesNotApply) {
  dir.write("a.svm", random_rows({.rows = 300}));  // cannot be separated
  const Json json = good_json(
      {"train", "a.svm", "-o", "m.thresh", "--certify", "--solver", "margin-perceptron", "--json"});
  EXPECT_TRUE(json.at("certificate").at("bound").is_null());
  EXPECT_TRUE(
      contains(good({"verify", "m.thresh", "a.svm"}), "misclassified, and it asks for none"));
  const std::string sealed = ScratchDir::slurp(dir.file("m.thresh"));
  const auto refuses = [&](const char* key, const Json& value, const std::string& why) {
    dir.write("m.thresh", sealed);
    forge([&](Json& header) { header["certificate"][key] = value; });
    EXPECT_TRUE(contains(refused(), why)) << key;
  };
  refuses("bound", 0.1, "bound: does not apply");
  refuses("does_not_apply", "the moon is full", "bound: it does not apply for another reason");
  refuses("delta", 7, "bound: its delta is not a probability");
}

TEST_F(CliVerify, AModelToStartFromProvesNothing) {
  perceptron();
  certify({"--solver", "margin-perceptron", "--from", "m.thresh"});
  const std::string text = good({"verify", "m.thresh", "a.svm"});
  EXPECT_TRUE(contains(text, "started from a model"));
  EXPECT_TRUE(contains(text, "holds as far as it was checked; not checked: kernel\n"));
  const Json checks = good_json({"verify", "m.thresh", "a.svm", "--json"}).at("checks");
  for (const Json& check : checks) EXPECT_EQ(check.at("checked"), check.at("name") != "kernel");
  forge([](Json& header) { header["certificate"]["classes"] = Json::array(); });
  EXPECT_TRUE(contains(refused(), "for another number of classes"));
  forge([](Json& header) {
    header["certificate"].erase("classes");
    header["certificate"]["started_from_model"] = false;
  });
  EXPECT_TRUE(contains(refused(), "kernel: "));
}

// Only --certify changes the file.
TEST_F(CliVerify, WithoutCertifyTheFileIsAsItWas) {
  const Words words{"train", "a.svm", "-q", "--solver", "margin-perceptron", "-o"};
  Words plain = words;
  plain.push_back("plain");
  silent(plain);
  perceptron();
  forge([](Json& header) { header.erase("certificate"); });
  const Words with = lines_of(ScratchDir::slurp(dir.file("m.thresh")));
  const Words without = lines_of(ScratchDir::slurp(dir.file("plain")));
  EXPECT_FALSE(Json::parse(without.at(1)).contains("certificate"));
  EXPECT_EQ(Json::parse(with.at(1)), Json::parse(without.at(1)));
  EXPECT_EQ(Words(with.begin() + 2, with.end() - 1), Words(without.begin() + 2, without.end() - 1));
}
