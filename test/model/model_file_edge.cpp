// The model file: comes back as it was, or is refused with a reason.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <limits>
#include <thread>

#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "tools/error_of.hpp"
#include "tools/model_text.hpp"
#include "tools/scratch.hpp"

namespace thresh::model_file_edge {
namespace {

std::string error_of_parsing(const std::string& text) {
  return error_of([&] { parse_model(text); });
}

void expect_same_model(const Model& a, const Model& b) {
  EXPECT_EQ(a.task, b.task);
  EXPECT_EQ(a.solver, b.solver);
  EXPECT_EQ(a.negative_label, b.negative_label);
  EXPECT_EQ(a.positive_label, b.positive_label);
  EXPECT_EQ(a.zero_based, b.zero_based);
  EXPECT_EQ(a.normalize_l2, b.normalize_l2);
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_EQ(a.has_intercept, b.has_intercept);
  EXPECT_EQ(a.intercept, b.intercept);
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.summary, b.summary);
  ASSERT_EQ(a.calibration.has_value(), b.calibration.has_value());
  if (a.calibration) {
    EXPECT_EQ(a.calibration->slope, b.calibration->slope);
    EXPECT_EQ(a.calibration->offset, b.calibration->offset);
  }
  ASSERT_EQ(a.coefficients.size(), b.coefficients.size());
  for (std::size_t i = 0; i < a.coefficients.size(); ++i) {
    EXPECT_EQ(a.coefficients[i].index, b.coefficients[i].index);
    EXPECT_EQ(a.coefficients[i].weight, b.coefficients[i].weight);
    EXPECT_EQ(a.coefficients[i].name, b.coefficients[i].name);
  }
}

TEST(ModelFile, RoundTrips) {
  ScratchDir scratch;
  Model model = small_model();
  model.save(scratch.file("m"));
  EXPECT_EQ(ScratchDir::slurp(scratch.file("m")), text_of(model));
  expect_same_model(Model::load(scratch.file("m")), model);
  EXPECT_EQ(text_of(Model::load(scratch.file("m"))), text_of(model));

  model.zero_based = true;
  model.coefficients.front().index = 0;
  model.coefficients.back().index = FeatureMap::kMaxIndex - 1;
  model.normalize_l2 = true;
  model.calibration.reset();
  expect_same_model(parse_model(text_of(model)), model);

  Model regression;
  regression.task = Task::regression;
  regression.has_intercept = false;
  expect_same_model(parse_model(text_of(regression)), regression);
}

TEST(ModelFile, RoundTripsRandomWeights) {
  Random random(1);
  Model model;
  model.dimension = 60'000;
  for (std::uint64_t i = 1; i < 20'000; ++i) {
    const double weight = std::bit_cast<double>(random.next());
    if (std::isfinite(weight) && weight != 0) model.coefficients.push_back({3 * i, weight, ""});
  }
  expect_same_model(parse_model(text_of(model)), model);
}

TEST(ModelFile, ACutAnywhereIsRefused) {
  ScratchDir scratch;
  const std::string text = text_of(small_model());
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    EXPECT_NE(error_of_parsing(text.substr(0, cut)), "") << cut;
  }
  const std::string path = scratch.write("m", text.substr(0, text.size() - 1));
  EXPECT_EQ(error_of([&] { Model::load(path); }), path + ": truncated");
  scratch.write("m", "");
  EXPECT_EQ(error_of([&] { Model::load(path); }), path + ": not a thresh model");
}

TEST(ModelFile, AnyOtherByteAnywhereIsRefused) {
  const std::string text = text_of(small_model());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    for (int flip = 1; flip < 256; ++flip) {
      damaged[at] = static_cast<char>(text[at] ^ flip);
      ASSERT_NE(error_of_parsing(damaged), "") << "byte " << at << " flipped by " << flip;
    }
  }
}

TEST(ModelFile, AByteMoreOrLessOrAnotherOrderIsRefused) {
  const std::string text = text_of(small_model());
  for (std::size_t at = 0; at <= text.size(); ++at) {
    for (const char extra : {'\n', '0', ' ', '\0'}) {
      std::string longer = text;
      longer.insert(at, 1, extra);
      ASSERT_NE(error_of_parsing(longer), "") << at;
    }
    if (at == text.size()) break;
    std::string shorter = text;
    shorter.erase(at, 1);
    ASSERT_NE(error_of_parsing(shorter), "") << at;
  }
  EXPECT_NE(error_of_parsing(text + text), "");
  const std::string line = "2\t-4.9406564584124654e-324\tword\n";
  ASSERT_NE(text.find(line), std::string::npos);
  std::string without = text;
  EXPECT_EQ(error_of_parsing(without.erase(text.find(line), line.size())),
            "the checksum does not match: the file was altered");
}

TEST(ModelFile, ThroughLineEndTranslationItIsRefusedInOneLine) {
  std::string text;
  for (const char c : text_of(small_model())) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(error_of_parsing(text), "model format 1? is not known to this program");
  EXPECT_EQ(error_of_parsing("thresh-model \x1b[2J" + std::string(100, '2') + "\n"),
            "model format ?[2J2222222222222222 is not known to this program");
}

TEST(ModelFile, ACompressedModelIsAModel) {
  ScratchDir scratch;
  const std::string text = text_of(small_model());
  gzFile out = gzopen(scratch.file("m.gz").c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  expect_same_model(Model::load(scratch.file("m.gz")), small_model());
}

TEST(ModelFile, AnEndlessForeignStreamIsGivenUpAtOnce) {
  EXPECT_EQ(error_of([] { Model::load("/dev/zero"); }), "/dev/zero: not a thresh model");
  ScratchDir scratch;
  const std::string path = scratch.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    std::ofstream pipe(path);
    while (pipe << "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") continue;
  });
  EXPECT_EQ(error_of([&] { Model::load(path); }), path + ": not a thresh model");
  writer.join();
  std::signal(SIGPIPE, old);
}

TEST(ModelFile, AModelFromAPipeIsReadWhole) {
  Model model;
  model.dimension = 50'000;
  for (std::uint64_t i = 1; i < 50'000; ++i) model.coefficients.push_back({i, 1.0 / 3, "name"});
  ScratchDir scratch;
  const std::string path = scratch.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { model.save(path); });
  const Model got = Model::load(path);
  writer.join();
  expect_same_model(got, model);
}

}  // namespace
}  // namespace thresh::model_file_edge
