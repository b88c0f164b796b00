// Rows for certificates of a feature budget.
#pragma once

#include <fmt/format.h>

#include "certify/verify_program.hpp"

class CliVerifyBudget : public CliVerify {
 protected:
  // 300 rows of 12 features; the first three decide the class, with noise.
  void SetUp() override {
    std::string text, weights;
    std::uint64_t state = 7;
    const auto next = [&] {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<double>(state >> 40) / (1 << 24);
    };
    for (int i = 0; i < 300; ++i) {
      double x[12];
      for (double& each : x) each = next() < 0.5 ? 0 : 0.1 + next();
      const double score = x[0] - x[1] + 0.7 * x[2] + 0.8 * (next() - 0.5);
      text += score > 0.3 ? "+1" : "-1";
      for (int j = 0; j < 12; ++j) {
        if (x[j] != 0) text += fmt::format(" {}:{:.4f}", j + 1, x[j]);
      }
      text += "\n";
      weights += fmt::format("{}\n", 1 + i % 3);
    }
    dir.write("a.svm", text);
    dir.write("w", weights);
  }
  void budget(Words more = {}) const {
    more.insert(more.begin(), {"--solver", "budget", "--features", "3"});
    certify(more);
  }
  Json claim() const {
    return Json::parse(lines_of(ScratchDir::slurp(dir.file("m.thresh"))).at(1)).at("certificate");
  }
  void refuses(const std::function<void(Json& certificate)>& change, const std::string& why) const {
    forge([&](Json& header) { change(header["certificate"]); });
    EXPECT_TRUE(contains(refused(), why)) << why;
  }
};
