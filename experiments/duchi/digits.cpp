#include "duchi/digits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "common/mnist.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh::experiments {
namespace {

constexpr std::size_t kRows = 3000, kTestRows = 1000, kSupport = 300;  // the paper: 60,000; 2,766
constexpr std::size_t kQuickRows = 100, kQuickSupport = 20;
constexpr double kWidth = 25;

// What is run: softmax over the classes, weights that are not negative, in a ball each.
const std::string kDigits = "digits";
const Plan kPlan = {{
    {"projected, all rows",
     {kDigits},
     "projected-sgd",
     "radius=100 eta=10,100,1000 batch=0 passes=40"},
    {"EG, all rows",
     {kDigits},
     "eg",
     "radius=100 eta=10,100,1000 batch=0 passes=40 schedule=constant,sqrt"},
    {"projected, 1%",
     {kDigits},
     "projected-sgd",
     "radius=100 eta=100,1000,10000 batch=30 passes=6"},
    {"EG, 1%",
     {kDigits},
     "eg",
     "radius=100 eta=10,100,1000 batch=30 passes=6 schedule=constant,sqrt"},
}};

// A row's feature i is K(row, s_i) = exp(-|row - s_i|^2 / 25), s_1, s_2, ... the first of all rows.
Rows similarities(const std::vector<Image>& images, const std::vector<int>& digits,
                  const std::vector<Image>& support) {
  Rows rows;
  for (std::size_t i = 0; i < images.size(); ++i) {
    for (std::size_t j = 0; j < support.size(); ++j) {
      double square = 0;
      for (std::size_t k = 0; k < kPixels; ++k) {
        square += (images[i][k] - support[j][k]) * (images[i][k] - support[j][k]);
      }
      rows.add(j, std::exp(-square / kWidth));
    }
    rows.end_row(digits[i]);
  }
  return rows;
}

std::vector<Image> first(const Digits& digits, std::size_t count) {
  if (digits.images.size() < count) {
    throw Error(
        fmt::format("MNIST: there are {} digits, {} are needed", digits.images.size(), count));
  }
  std::vector<Image> images;
  for (std::size_t i = 0; i < count; ++i) images.push_back(scaled(digits.images[i]));
  return images;
}

DataSet load_digits(const std::string& folder) {
  const Digits train = read_mnist(folder, false), test = read_mnist(folder, true);
  const std::vector<Image> support = first(train, kSupport);
  return make_data(similarities(first(train, kRows), train.digits, support),
                   similarities(first(test, kTestRows), test.digits, support));
}

// Digits that are patches of light at ten places, with noise.
DataSet stand_in() {
  Random random(1);
  std::vector<Image> images(kQuickRows);
  std::vector<int> digits(kQuickRows);
  for (std::size_t i = 0; i < images.size(); ++i) {
    digits[i] = static_cast<int>(i % 10);
    for (std::size_t k = 0; k < kPixels; ++k) {
      const bool lit = static_cast<int>(k) / 78 == digits[i];
      images[i][k] = (lit ? 0.5 : 0) + 0.3 * random.uniform();
    }
  }
  const std::vector<Image> support(images.begin(), images.begin() + kQuickSupport);
  const Rows rows = similarities(images, digits, support);
  return make_data(rows, rows);
}

// The class that each feature speaks for: features are similarities to the first rows.
std::string write_feature_labels(const Context& context) {
  const DataSet& data = context.data.get(kDigits);
  std::string text;
  std::uint64_t written = 0;
  for (std::size_t k = 0; written < data.features; ++k) {
    for (const double label : data.problem.train->block(k)->labels) {
      if (written++ < data.features) text += fmt::format("{}\n", label);
    }
  }
  std::filesystem::create_directories(context.work);
  const std::string path = context.work + "/feature-labels.txt";
  AtomicFile file(path);
  file.write(text);
  file.commit();
  return path;
}

Plan plan_with(const std::string& feature_labels) {
  Plan plan = kPlan;
  plan.points = 40;
  for (Group& group : plan.groups) {
    group.base.intercept = false;
    group.base.multiclass = Multiclass::softmax;
    group.base.solver_options["non-negative"] = "true";
    group.base.feature_labels_file = feature_labels;
  }
  return plan;
}

}  // namespace

DataSpec digits_data() {
  return {kDigits, kMnistFiles, load_digits, stand_in};
}

void add_digits(const Context& context, Report& report) {
  if (!context.data.has(kDigits)) return;
  const Plan plan = plan_with(write_feature_labels(context));
  const std::vector<Trained> runs = train(context, plan);
  report.options["7"] = to_json(plan);
  Table table{"digits",
              "Figure 7: the best of the step sizes of each method",
              {"method", "step size", "gradient steps", "loss at the end", "test error",
               "share of weights that are zero"},
              {}};
  const DataSet& data = context.data.get(kDigits);
  for (const char* part : {"all rows", "1%"}) {
    const bool all = std::string(part) == "all rows";
    Figure figure{all ? "7-batch" : "7-stochastic",
                  fmt::format("Figure 7, {}: MNIST, {} a step", all ? "left" : "right", part),
                  "gradient steps",
                  "multiclass logistic loss",
                  true,
                  true,
                  {}};
    for (const char* name : {"projected", "EG"}) {
      const auto of_method = select(runs, kDigits, {}, fmt::format("{}, {}", name, part));
      const Trained& best = *smallest(of_method, "objective");
      const double batch = all ? static_cast<double>(data.rows) : best.number("batch");
      Series series = best.series("examples", "objective");
      for (double& x : series.x) x /= batch;
      std::string step = best.setting("eta");
      if (!best.setting("schedule").empty()) step += ", " + best.setting("schedule");
      table.rows.push_back({best.name, step, best.last("examples") / batch, best.last("objective"),
                            best.last("valid_error"),
                            1 - best.last("nonzeros") / static_cast<double>(10 * data.features)});
      figure.series.push_back(std::move(series));
    }
    report.figures.push_back(std::move(figure));
  }
  report.tables.push_back(std::move(table));
}

}  // namespace thresh::experiments
