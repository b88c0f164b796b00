// Prediction, evaluation and verification.

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "capi/problem.hpp"
#include "data/read/matrix_source.hpp"
#include "sparse/parallel.hpp"
#include "thresh/certificate.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"

namespace thresh::capi {
namespace {

std::uint64_t numbers_per_row(const thresh_model& model, int what) {
  if (what < THRESH_LABEL || what > THRESH_PROBABILITY) {
    throw UsageError(fmt::format("there is no prediction of kind {}", what));
  }
  const bool none = model.model.classes.empty() ? !model.model.calibration
                                                : model.model.class_link == ClassLink::none;
  if (what == THRESH_PROBABILITY && none) throw UsageError("the model gives no probabilities");
  return what == THRESH_LABEL ? 1 : model.parts();
}

void write_prediction(const Model& model, std::span<const double> margins, int what, double* out) {
  const bool many = !model.classes.empty();
  if (what == THRESH_LABEL) {
    *out = many ? model.prediction(margins) : model.prediction(margins[0]);
  } else if (what == THRESH_MARGIN) {
    std::copy(margins.begin(), margins.end(), out);
  } else if (many) {
    const std::vector<double> shares = *model.probabilities(margins);
    std::copy(shares.begin(), shares.end(), out);
  } else {
    *out = *model.probability(margins[0]);
  }
}

void write_prediction(const thresh_model& model, const Prediction& prediction, int what,
                      double* out) {
  numbers_per_row(model, what);
  const bool many = !model.model.classes.empty();
  write_prediction(model.model,
                   many ? std::span<const double>(prediction.margins)
                        : std::span<const double>(&prediction.margin, 1),
                   what, out);
}

// A growing array for thresh_free().
class Numbers {
 public:
  ~Numbers() { std::free(data_); }
  Numbers() = default;
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  double* add(std::size_t count) {
    if (size_ + count > room_) {
      room_ = std::max<std::size_t>(2 * room_, size_ + count + 1024);
      void* const more = std::realloc(data_, room_ * sizeof(double));
      if (more == nullptr) throw std::bad_alloc();
      data_ = static_cast<double*>(more);
    }
    size_ += count;
    return data_ + size_ - count;
  }
  std::size_t size() const { return size_; }
  double* release() {
    add(1);  // never null
    return std::exchange(data_, nullptr);
  }

 private:
  double* data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

// How to read rows for a model: as its training data were read, unless settings differ.
ReadOptions reading_for(const Model& model, const Parsed& settings) {
  ReadOptions read = settings.read;
  const ReadOptions as_trained = read_options_for(model);
  if (read.format == Format::automatic) read.format = as_trained.format;
  const bool names = read.format != Format::libsvm;
  if (names && model.format == Format::libsvm) {
    throw UsageError(
        fmt::format("--format {}: the model identifies features by number", name_of(read.format)));
  }
  if (names && (read.format == Format::text) != (model.format == Format::text)) {
    throw UsageError(fmt::format("--format {}: the model was trained on {} data",
                                 name_of(read.format), name_of(model.format)));
  }
  read.vocabulary = as_trained.vocabulary;
  read.table.needed = as_trained.table.needed;
  read.zero_based = as_trained.zero_based;
  read.normalize_l2 = as_trained.normalize_l2;
  return read;
}

// The model as if it had been trained on the table in memory: the columns are known by their names,
// whatever the header and the delimiter of the training file were.
Model for_table(const Model& model, const MemoryTable& table) {
  if (model.format != Format::csv && model.format != Format::tsv) {
    throw UsageError(
        fmt::format("the model was trained on {} data, not on a table", name_of(model.format)));
  }
  Model same = model;
  same.format = Format::csv;
  same.reading["header"] = true;
  same.reading["delimiter"] = ",";
  if (!table.label.empty()) same.reading["label"] = table.label;
  same.reading.erase("weight");
  if (!table.weight.empty()) same.reading["weight"] = table.weight;
  return same;
}

void check_for_arrays(const Model& model) {
  if (model.format == Format::libsvm) return;
  throw UsageError(
      fmt::format("the model was trained on {} data, not on arrays", name_of(model.format)));
}

// Rows of the data with the features of the predictor.
std::shared_ptr<RowSource> rows_for(const Model& model, const Predictor& predictor,
                                    const Parsed& settings, const thresh_data& data, bool labels) {
  if (const auto* matrix = std::get_if<MatrixData>(&data.content)) {
    check_for_arrays(model);
    return matrix_rows(matrix->view, {true, model.normalize_l2, {}}, predictor.features());
  }
  const auto* const table = std::get_if<MemoryTable>(&data.content);
  ReadOptions read = reading_for(table != nullptr ? for_table(model, *table) : model, settings);
  read.labels_optional = !labels;
  read.once = !labels;
  if (table != nullptr) {
    read.name = "table";
    return table_rows(*table, read, predictor.features());
  }
  if (const auto* path = std::get_if<Path>(&data.content)) {
    return open_rows(path->path, read, predictor.features());
  }
  if (const auto* batches = std::get_if<Batches>(&data.content)) {
    check_for_arrays(model);
    return batch_rows(next_batch(*batches), model.normalize_l2, predictor.features());
  }
  const auto* const texts = std::get_if<Texts>(&data.content);
  if (model.format != Format::text) throw UsageError("the model was not trained on texts");
  read.once = false;
  read.cache = ReadOptions::Cache::none;
  return open_rows(TextFile(texts->lines).path(), read, predictor.features());
}

void predict_texts(const thresh_model& model, const std::vector<std::string>& texts, int what,
                   Numbers& numbers) {
  if (model.model.format != Format::text) throw UsageError("the model was not trained on texts");
  const std::uint64_t columns = numbers_per_row(model, what);
  for (const std::string& text : texts) {
    write_prediction(model, model.scorer().predict(text), what, numbers.add(columns));
  }
}

void predict_rows(const thresh_model& model, const Parsed& settings, const thresh_data& data,
                  int what, Numbers& numbers) {
  const std::uint64_t columns = numbers_per_row(model, what);
  const Predictor predictor(model.model);
  std::vector<double> margins(model.parts());
  visit_rows(rows_for(model.model, predictor, settings, data, false), [&](const RowsRead& read) {
    if (settings.read.stop != nullptr && *settings.read.stop) throw Interrupted("stopped");
    for (const Row& row : read.rows) {
      predictor.margins(row, margins);
      write_prediction(model.model, margins, what, numbers.add(columns));
    }
  });
}

// Rows of arrays, each block checked and predicted by one thread while it is in its cache.
void predict_matrix(const thresh_model& model, const Parsed& settings, const MatrixView& matrix,
                    int what, Numbers& numbers) {
  check_for_arrays(model.model);
  const ThreadLimit limit(settings.read.threads);
  const std::uint64_t columns = numbers_per_row(model, what);
  const Predictor predictor(model.model);
  const auto rows =
      matrix_rows(matrix, model.model.normalize_l2, predictor.features(), MatrixCheck::by_block);
  double* const out = numbers.add(matrix.rows * columns);
  parallel_for(rows->survey()->blocks, [&](std::size_t k) {
    if (settings.read.stop != nullptr && *settings.read.stop) throw Interrupted("stopped");
    std::vector<double> margins(model.parts());
    const BlockPtr block = rows->block(k);
    for (std::size_t i = 0; i < block->rows(); ++i) {
      predictor.margins(block->row(i), margins);
      write_prediction(model.model, margins, what, out + block->ids[i] * columns);
    }
  });
}

// One batch after the other.
void predict_batches(const thresh_model& model, const Parsed& settings, const Batches& batches,
                     int what, Numbers& numbers) {
  const NextBatch next = next_batch(batches);
  while (const std::optional<MatrixView> batch = next()) {
    predict_matrix(model, settings, *batch, what, numbers);
  }
}

Json checks_json(const std::vector<Check>& checks) {
  Json json{{"holds", checks.back().holds}, {"checks", Json::array()}};
  for (const Check& check : checks) {
    json["checks"].push_back({{"name", check.name},
                              {"holds", check.holds},
                              {"checked", check.checked},
                              {"text", check.text}});
  }
  return json;
}

}  // namespace
}  // namespace thresh::capi

using namespace thresh;
using namespace thresh::capi;

int thresh_predict(const thresh_model* model, const thresh_settings* settings,
                   const thresh_data* data, thresh_call* call, int what, double** numbers,
                   uint64_t* rows, uint64_t* columns) {
  return guarded([&] {
    const std::uint64_t each = numbers_per_row(*model, what);
    const Parsed how = parsed(settings, call);
    refuse_learning(how, {}, "predictions");
    Numbers all;
    const auto* const texts = std::get_if<Texts>(&data->content);
    if (texts != nullptr && texts->lines.empty()) {
      predict_texts(*model, texts->texts, what, all);
    } else if (const auto* const batches = std::get_if<Batches>(&data->content)) {
      predict_batches(*model, how, *batches, what, all);
    } else if (const auto* const matrix = std::get_if<MatrixData>(&data->content)) {
      predict_matrix(*model, how, matrix->view, what, all);
    } else {
      predict_rows(*model, how, *data, what, all);
    }
    *rows = all.size() / each;
    *columns = each;
    *numbers = all.release();
  });
}

int thresh_predict_row(const thresh_model* model, uint64_t count, const uint64_t* indices,
                       const double* values, int what, double* numbers) {
  return guarded([&] {
    write_prediction(*model, model->scorer().predict({indices, count}, {values, count}), what,
                     numbers);
  });
}

int thresh_predict_line(const thresh_model* model, const char* line, uint64_t length, int what,
                        double* numbers) {
  return guarded([&] {
    write_prediction(*model, model->scorer().predict(std::string_view(line, length)), what,
                     numbers);
  });
}

int thresh_evaluate(const thresh_model* model, const thresh_settings* settings,
                    const thresh_data* data, thresh_call* call, char** report) {
  return guarded([&] {
    const Parsed how = parsed(settings, call);
    refuse_learning(how, {"weights"}, "an evaluation");
    const auto* const matrix = std::get_if<MatrixData>(&data->content);
    if (matrix != nullptr && matrix->view.labels.empty() && matrix->view.rows > 0) {
      throw UsageError("rows to evaluate on need labels");
    }
    const Predictor predictor(model->model);
    const auto metrics =
        evaluate(model->model, predictor, rows_for(model->model, predictor, how, *data, true),
                 how.options.weights_file);
    hand_over(
        std::visit([&](const auto& m) { return Json(metrics_record(m, model->model)); }, metrics),
        report);
  });
}

int thresh_verify(const thresh_model* model, const thresh_settings* settings,
                  const thresh_data* data, thresh_call* call, char** report) {
  return guarded([&] {
    Parsed how = parsed(settings, call);
    refuse_learning(how, {"weights"}, "verify");
    how.read.normalize_l2 = model->model.normalize_l2;
    if (std::holds_alternative<Path>(data->content)) {
      how.read.zero_based = model->model.zero_based;
      if (how.read.format == Format::automatic) how.read.format = model->model.format;
    }
    Problem problem = open(*data, nullptr, how);
    problem.train = retained(problem.train, how.options.memory);
    hand_over(checks_json(verify(model->model, problem, how.options.weights_file)), report);
  });
}
