// Model: a sparse linear model, with prediction, evaluation and its file format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "thresh/metrics.hpp"
#include "thresh/options.hpp"
#include "thresh/record.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct Coefficient {
  std::uint64_t index;  // of the feature, as in the data file
  double weight;        // finite and not zero
  std::string name;     // "" if unknown
};

// A feature that is the product of two others.
struct FeaturePair {
  std::uint64_t index;                  // of the product, above those of all features in the data
  std::uint64_t first, second;          // of the two
  std::string first_name, second_name;  // "" if unknown
};

// Turns margins into probabilities: P(y = +1) = 1 / (1 + exp(-(slope a + offset))).
struct Calibration {
  double slope = 1;
  double offset = 0;

  double logit(double margin) const { return slope * margin + offset; }
  double probability(double margin) const;
};

// Where a model of two classes turns from one to the other, see choose_threshold().
struct Threshold {
  double margin = 0;  // finite; the positive label is predicted above it
  std::string by;     // how it was chosen, for people
};

// One class of a model with more than two. The class with the largest margin is predicted; ties go
// to the first class.
struct ClassPart {
  double label;
  double intercept = 0;
  std::vector<Coefficient> coefficients;  // by ascending index
};

// How the margins of more than two classes become probabilities: by a logistic function per class
// or by exp(margin), then scaled to sum to one.
enum class ClassLink { none, logistic, softmax };

// The prediction for one row.
struct Prediction {
  double label = 0;   // the predicted label; for regression the value
  std::string text;   // the label as written in the data, a word if labels are words
  double margin = 0;  // <w,x> + intercept; more than two classes: the largest of `margins`
  std::optional<double> probability;  // two classes: of the positive one; more: of `label`; none if
                                      // the model gives no probabilities
  // More than two classes: one per class, by ascending label. Otherwise empty.
  std::vector<double> margins;
  std::vector<double> probabilities;  // empty if the model gives none
};

struct Model {
  Task task = Task::classification;
  std::string solver;
  double negative_label = -1;  // classification: the labels of the two classes in the data
  double positive_label = 1;
  std::vector<std::string> label_names;  // words for labels 0, 1, ...; empty: labels are numbers
  Format format = Format::libsvm;        // of the training data
  Record reading;                        // other facts needed to read such data, by format
  std::shared_ptr<const TextVectorizer> text;  // format text: how texts become rows
  ColumnTexts column_texts;                    // tables: how text columns become features
  bool zero_based = false;                     // feature indices start at 0 instead of 1
  bool normalize_l2 = false;                   // rows are scaled to unit length first
  std::uint64_t dimension = 0;                 // number of features in the training data
  bool has_intercept = true;                   // whether one was learned
  double intercept = 0;
  std::vector<Coefficient> coefficients;  // by ascending index
  std::vector<ClassPart> classes;  // more than two classes, by ascending label; then `intercept`
                                   // and `coefficients` above are 0 and empty
  // The features with weights that are products, by ascending index. Rows have only the others.
  std::vector<FeaturePair> pairs;
  std::vector<std::string> interactions;  // what was asked for, see ReadOptions::interactions
  ClassLink class_link = ClassLink::none;
  bool log_link = false;  // regression: a margin is the logarithm of what is predicted
  std::optional<Calibration> calibration;  // none: the model gives no probabilities
  std::optional<Threshold> threshold;      // two classes; none: 0
  Record options;                          // the options that the solver used
  Record summary;                          // statistics of the training run
  std::optional<Record> certificate;       // see certify()

  // The pair with this index; null: it is an ordinary feature.
  const FeaturePair* pair(std::uint64_t index) const;

  // Predicts one row. Indices are those of the training data, file or MemoryRows, and start at 0 if
  // `zero_based`, else at 1. Features unknown to the model are ignored. Throws UsageError if the
  // arrays differ in length, indices do not ascend or are out of range, or values are not finite.
  // For many rows, or a row as a line of text, use Scorer.
  Prediction predict(std::span<const std::uint64_t> indices, std::span<const double> values) const;
  // <w,x> + intercept, for two classes or regression. Takes a row as predict() does.
  double margin(std::span<const std::uint64_t> indices, std::span<const double> values) const;
  // A label as written in the data.
  std::string label_text(double label) const;
  // The label predicted from a margin; for regression the value, of a model of counts the rate
  // exp(margin), at most the largest double.
  double prediction(double margin) const;
  // Whether the positive label is predicted from a margin.
  bool is_positive(double margin) const { return margin > (threshold ? threshold->margin : 0); }
  // P(positive class); none if the model gives no probabilities.
  std::optional<double> probability(double margin) const;

  // The same for more than two classes, from one margin per class. Another number of margins is an
  // error. Calling the single-margin functions on such a model is an error too.
  double prediction(std::span<const double> margins) const;
  std::optional<std::vector<double>> probabilities(std::span<const double> margins) const;
  std::uint64_t nonzeros() const;            // of all classes
  std::vector<double> class_labels() const;  // ascending; empty unless there are more than two

  // save() replaces the file atomically. load() rejects truncated, altered and foreign files.
  void save(const std::string& path) const;
  static Model load(const std::string& path);
  // The content of the model file in memory.
  std::string to_bytes() const;
  static Model from_bytes(std::string_view bytes);
};

// Options to read data for this model: as in training, with the same names and numbers.
ReadOptions read_options_for(const Model& model);

// A model prepared for prediction on the rows of a RowSource. Threads may share one.
class Predictor {
 public:
  explicit Predictor(const Model& model);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  // Pass this to open_rows() for the rows to predict.
  const std::shared_ptr<FeatureMap>& features() const;
  double margin(const Row& row) const;
  // One margin per class, for more than two classes.
  void margins(const Row& row, std::span<double> out) const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

// Evaluates the model on all rows of a source that was opened with predictor.features().
std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate(
    const Model& model, const Predictor& predictor, const std::shared_ptr<RowSource>& rows,
    const std::string& weights_file = "");
// The same for rows in memory, with indices as in Model::predict().
std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate(
    const Model& model, const MemoryRows& rows);

// What `thresh eval --json` prints.
Record metrics_record(const ClassificationMetrics& metrics, const Model& model);
Record metrics_record(const MulticlassMetrics& metrics, const Model& model);
Record metrics_record(const RegressionMetrics& metrics, const Model& model);

}  // namespace thresh
