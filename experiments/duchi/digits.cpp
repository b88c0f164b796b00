#include "duchi/digits.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "common/beyond.hpp"
#include "common/mnist.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh::experiments {
namespace {

constexpr std::size_t kRows = 10000, kTestRows = 1000, kSupport = 500;  // paper: 60,000; 2,766
constexpr std::size_t kQuickRows = 100, kQuickSupport = 20;
constexpr double kWidth = 25;

// What is run: softmax over the classes, weights that are not negative, in a ball each. Step sizes
// beyond these are tried while the best is at an end.
const std::string kDigits = "digits";
const std::vector<std::string> kRadii = {"10", "100", "1000"};
struct Part {
  std::string name, file, title;
  std::string projected, eg;  // grids
  std::uint64_t points;
};
const std::vector<Part> kParts = {
    {"all rows", "7-batch", "left", " eta=10,100,1000 batch=0 passes=20",
     " eta=100,1000,10000 batch=0 passes=20 schedule=constant,sqrt,inverse", 5},
    {"1%", "7-stochastic", "right", " eta=10,100,1000 batch=100 passes=6",
     " eta=100,1000,10000 batch=100 passes=6 schedule=constant,sqrt,inverse", 10},
};

Eigen::MatrixXd as_columns(const std::vector<Image>& images) {
  Eigen::MatrixXd columns(kPixels, static_cast<Eigen::Index>(images.size()));
  for (std::size_t i = 0; i < images.size(); ++i) {
    for (std::size_t k = 0; k < kPixels; ++k) {
      columns(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = images[i][k];
    }
  }
  return columns;
}

// A row's feature i is K(row, s_i) = exp(-|row - s_i|^2 / 25), s_1, s_2, ... the first of all rows.
Rows similarities(const std::vector<Image>& images, const std::vector<int>& digits,
                  const std::vector<Image>& support) {
  const Eigen::MatrixXd all = as_columns(images), some = as_columns(support);
  const Eigen::MatrixXd products = some.transpose() * all;
  const Eigen::VectorXd squares = all.colwise().squaredNorm(),
                        of_some = some.colwise().squaredNorm();
  Rows rows;
  for (Eigen::Index i = 0; i < products.cols(); ++i) {
    for (Eigen::Index j = 0; j < products.rows(); ++j) {
      const double square = std::max(0.0, squares[i] + of_some[j] - 2 * products(j, i));
      rows.add(static_cast<std::uint64_t>(j), std::exp(-square / kWidth));
    }
    rows.end_row(digits[static_cast<std::size_t>(i)]);
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

// Digits that are patches of light at ten places, with noise, and some of them wrong.
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
    if (i % 7 == 3) digits[i] = (digits[i] + 1) % 10;
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

std::string name_of(const char* method, const Part& part, const std::string& radius) {
  return fmt::format("{}, {}, radius {}", method, part.name, radius);
}

Plan plan_of(const Part& part, const std::string& feature_labels) {
  Plan plan;
  plan.points = part.points;
  Options base;
  base.intercept = false;
  base.multiclass = Multiclass::softmax;
  base.solver_options["non-negative"] = "true";
  base.feature_labels_file = feature_labels;
  for (const std::string& radius : kRadii) {
    const std::string ball = "radius=" + radius;
    plan.groups.push_back({name_of("projected", part, radius),
                           {kDigits},
                           "projected-sgd",
                           ball + part.projected,
                           base});
    plan.groups.push_back({name_of("EG", part, radius), {kDigits}, "eg", ball + part.eg, base});
  }
  return plan;
}

Table digits_table() {
  return {"digits",
          "Figure 7: the best of the step sizes of each method",
          {"rows a step", "radius", "method", "step size", "gradient steps",
           "loss after a quarter of them", "loss at the end", "test error",
           "share of weights that are zero"},
          {}};
}

void add_part(const DataSet& data, const Part& part, const std::vector<Trained>& runs,
              Report& report, Table& table) {
  for (const std::string& radius : kRadii) {
    Figure figure{
        part.file + (radius == "100" ? "" : "-" + radius),
        fmt::format("Figure 7, {}: MNIST, {} a step, radius {}", part.title, part.name, radius),
        "gradient steps",
        "multiclass logistic loss",
        true,
        true,
        {}};
    for (const char* method : {"projected", "EG"}) {
      const auto of_method = select(runs, kDigits, {}, name_of(method, part, radius));
      const Trained& best = *smallest(of_method, "objective");
      const double batch =
          best.number("batch") == 0 ? static_cast<double>(data.rows) : best.number("batch");
      Series series = best.series("examples", "objective");
      for (double& x : series.x) x /= batch;
      std::string step = best.setting("eta");
      if (!best.setting("schedule").empty()) step += ", " + best.setting("schedule");
      const auto& loss = best.curve("objective");
      table.rows.push_back({part.name, radius, method, step, best.last("examples") / batch,
                            loss[loss.size() / 4], loss.back(), best.last("valid_error"),
                            1 - best.last("nonzeros") / static_cast<double>(10 * data.features)});
      series.name = fmt::format("{}, eta {}", method, step);
      figure.series.push_back(std::move(series));
    }
    report.figures.push_back(std::move(figure));
  }
}

}  // namespace

DataSpec digits_data() {
  return {kDigits, kMnistFiles, load_digits, stand_in};
}

void add_digits(const Context& context, Report& report) {
  if (!context.data.has(kDigits)) return;
  const std::string feature_labels = write_feature_labels(context);
  Table table = digits_table();
  for (const Part& part : kParts) {
    Plan plan = plan_of(part, feature_labels);
    const std::vector<Trained> runs = train_beyond(context, plan);
    report.options[part.file] = to_json(plan);
    add_part(context.data.get(kDigits), part, runs, report, table);
  }
  report.tables.push_back(std::move(table));
}

}  // namespace thresh::experiments
