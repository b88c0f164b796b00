// A sparse linear model: what comes out of training, goes into a file, and predicts.
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
  std::uint64_t index;  // of the feature, as the data file counts
  double weight;        // finite and not zero
  std::string name;     // "" if unknown
};

// Turns margins into probabilities: P(y = +1) = 1 / (1 + exp(-(slope a + offset))).
struct Calibration {
  double slope = 1;
  double offset = 0;

  double logit(double margin) const { return slope * margin + offset; }
  double probability(double margin) const;
};

// One of more than two classes. The class whose margin is largest is predicted, of equals the
// first.
struct ClassPart {
  double label;
  double intercept = 0;
  std::vector<Coefficient> coefficients;  // by ascending index
};

// How the margins of more than two classes become probabilities: each by its own logistic, scaled
// to sum to one; or exp(margin), scaled to sum to one.
enum class ClassLink { none, logistic, softmax };

// What a model says about one row.
struct Prediction {
  double label = 0;   // the predicted label; for regression the value
  std::string text;   // the same as the data write it: a word where labels are words
  double margin = 0;  // <w,x> + intercept; several classes: the largest of `margins`
  std::optional<double> probability;  // two classes: of the positive one; several: of `label`; none
                                      // if the model gives no probabilities
  // More than two classes: one each, by ascending label; otherwise empty.
  std::vector<double> margins;
  std::vector<double> probabilities;  // empty if the model gives none
};

struct Model {
  Task task = Task::classification;
  std::string solver;
  double negative_label = -1;  // classification: what the two classes are called in the data
  double positive_label = 1;
  std::vector<std::string> label_names;  // what labels 0, 1, ... are called; empty: they are the
                                         // numbers in the data
  Format format = Format::libsvm;        // of the training data
  Record reading;                        // what else a reader of it must know, by format
  std::shared_ptr<const TextVectorizer> text;  // of format text: how texts become rows
  bool zero_based = false;                     // how the data file counts features
  bool normalize_l2 = false;                   // rows are scaled to unit length first
  std::uint64_t dimension = 0;                 // number of features in the training data
  bool has_intercept = true;                   // whether one was learned
  double intercept = 0;                        // its value
  std::vector<Coefficient> coefficients;       // by ascending index
  std::vector<ClassPart> classes;  // more than two classes, by ascending label; then the
                                   // model's own intercept and coefficients are empty
  ClassLink class_link = ClassLink::none;
  std::optional<Calibration> calibration;  // none: the model gives no probabilities
  Record options;                          // how it was trained: the options that the solver used
  Record summary;                          // how the training went
  std::optional<Record> certificate;       // what can be proved of it, see certify()

  // Predicts one row, given by the indices that the model was trained with: as the data file
  // counts, or as the MemoryRows did (`zero_based` says whether from 0 or from 1). Features that
  // the model does not know count for nothing. Throws UsageError for arrays of different lengths,
  // indices that do not ascend or cannot be, and values that are not finite. For many rows, or a
  // row as a line of text, there is Scorer.
  Prediction predict(std::span<const std::uint64_t> indices, std::span<const double> values) const;
  // Only <w,x> + intercept, of two classes or regression. The same row as for predict().
  double margin(std::span<const std::uint64_t> indices, std::span<const double> values) const;
  // A label as the data write it.
  std::string label_text(double label) const;
  // The label, or the value for regression, that a margin stands for.
  double prediction(double margin) const;
  // P(positive class); empty if the model gives none.
  std::optional<double> probability(double margin) const;

  // The same for more than two classes, from a margin each; another number of them is an error, and
  // so is to ask such a model for a single one.
  double prediction(std::span<const double> margins) const;
  std::optional<std::vector<double>> probabilities(std::span<const double> margins) const;
  std::uint64_t nonzeros() const;            // of all classes
  std::vector<double> class_labels() const;  // of more than two classes, ascending; else empty

  // The file appears whole or not at all. load() refuses a truncated, altered or foreign file.
  void save(const std::string& path) const;
  static Model load(const std::string& path);
  // The same bytes in memory.
  std::string to_bytes() const;
  static Model from_bytes(std::string_view bytes);
};

// How to read data for this model: as in training, and names mean what they meant there.
ReadOptions read_options_for(const Model& model);

// A model laid out for prediction on the rows of a RowSource. All of it is const: threads may share
// one.
class Predictor {
 public:
  explicit Predictor(const Model& model);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  // The numbering of features that rows must be read with.
  const std::shared_ptr<FeatureMap>& features() const;
  double margin(const Row& row) const;
  // One margin a class, for more than two classes.
  void margins(const Row& row, std::span<double> out) const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

// Applies the model to every row of a source made with predictor.features().
std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate(
    const Model& model, const Predictor& predictor, const std::shared_ptr<RowSource>& rows,
    const std::string& weights_file = "");
// The same for rows in memory, with indices as the model counts them, see Model::predict().
std::variant<ClassificationMetrics, RegressionMetrics, MulticlassMetrics> evaluate(
    const Model& model, const MemoryRows& rows);

}  // namespace thresh
