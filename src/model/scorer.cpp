#include "thresh/scorer.hpp"

#include "model/line_reader.hpp"
#include "model/one_row.hpp"

namespace thresh {

struct Scorer::Parts {
  Model model;
  Predictor predictor{model};
  LineReader lines{model, predictor.features()};

  Prediction score(const Row& row) const {
    if (model.classes.empty()) return prediction_of(model, predictor.margin(row));
    std::vector<double> margins(model.classes.size());
    predictor.margins(row, margins);
    return prediction_of(model, std::move(margins));
  }
};

Scorer::Scorer(Model model) : parts_(new Parts{std::move(model)}) {}
Scorer::~Scorer() = default;
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer& Scorer::operator=(Scorer&&) noexcept = default;

const Model& Scorer::model() const {
  return parts_->model;
}

Prediction Scorer::predict(std::span<const std::uint64_t> indices,
                           std::span<const double> values) const {
  check_row(parts_->model, indices, values);
  const std::vector<double> scaled = scaled_values(parts_->model, values);
  const std::uint64_t first = parts_->model.zero_based ? 0 : 1;
  std::vector<std::uint32_t> slots;
  slots.reserve(indices.size());
  // A feature unknown to the model gets a slot beyond all weights.
  for (const std::uint64_t index : indices) {
    slots.push_back(parts_->predictor.features()->slot(index - first));
  }
  return parts_->score({slots.data(), scaled.data(), slots.size(), 0, 1, 0});
}

Prediction Scorer::predict(std::string_view line) const {
  return parts_->score(parts_->lines.read(line)->row(0));
}

}  // namespace thresh
