// --slices in one process: models that record it, certificates that replay it, refusals.

#include "certify/verify_program.hpp"

class CliSlices : public CliVerify {
 protected:
  // In one sum, the -1 of the second row's margin is lost beside 1e16, and the row causes no
  // update.
  void SetUp() override {
    dir.write("a.svm", "+1 1:1e16 2:-1 3:-1e16 4:0.5\n+1 1:1 2:1 3:1 4:1\n-1 5:1\n");
  }
};

TEST_F(CliSlices, AreRecordedIfTheyAreSet) {
  EXPECT_EQ(train({"a.svm"}).find("slices"), std::string::npos);
  EXPECT_TRUE(contains(train({"a.svm", "--slices", "8"}), "\"slices\":8"));
}

TEST_F(CliSlices, CertificatesReplayThem) {
  const Words options = {"--solver",       "margin-perceptron",
                         "--slices",       "4",
                         "--lambda",       "0",
                         "--tau",          "0",
                         "--eta",          "1",
                         "--no-intercept", "--order",
                         "sequential"};
  certify(options);
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "to the bit"));
  forge([](Json& header) { header["options"]["slices"] = 1; });
  EXPECT_TRUE(contains(refused(), "kernel: "));
  certify(options);
  forge([](Json& header) { header["options"]["slices"] = -1; });
  EXPECT_TRUE(contains(refused(), "the certificate is damaged"));
}

TEST_F(CliSlices, AreRefused) {
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "l1", "--slices", "8"}),
                       "--slices does not apply to l1"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--slices", "8", "--compensated"}),
                       "--slices does not support --compensated"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--slices", "70000"}), "at most 65536"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--slices", "1.5"}), "--slices"));
}
