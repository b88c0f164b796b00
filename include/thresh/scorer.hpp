// Scorer: predicts single rows, for services and streams.
//
//     const thresh::Scorer scorer(thresh::Model::load("mail.thresh"));
//     const thresh::Prediction mail = scorer.predict("cheap watches, buy now");
//     std::printf("%s %g\n", mail.text.c_str(), mail.margin);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "thresh/model.hpp"

namespace thresh {

// A model together with the reader for its rows. Immutable after construction: any number of
// threads may call predict() on the same Scorer at once.
class Scorer {
 public:
  explicit Scorer(Model model);
  ~Scorer();
  Scorer(Scorer&&) noexcept;
  Scorer& operator=(Scorer&&) noexcept;

  const Model& model() const;

  // See Model::predict(). If features have names, use the indices of Model::coefficients.
  Prediction predict(std::span<const std::uint64_t> indices, std::span<const double> values) const;

  // Predicts a row given as a line of the data file without its label:
  //   libsvm   "3:1 10:0.5"
  //   vw       "|words cheap watches:2"
  //   csv, tsv the other cells in column order, "5.1,red", if the table had no header, or only
  //            numeric columns, or only categorical ones. Otherwise put a line with the column
  //            names first, in any order: "color,size\nred,5.1"
  //   text     the text itself
  // The result is that of `thresh predict`. Throws Error for a malformed line, UsageError for more
  // than one row and for a table row whose columns are unknown.
  Prediction predict(std::string_view line) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace thresh
