// One row in, one prediction out: for services, and for rows that come one by one.
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

// A model with all that it takes to read a row. Nothing in it changes after the constructor, so any
// number of threads may call predict() of the same Scorer at the same time.
class Scorer {
 public:
  explicit Scorer(Model model);
  ~Scorer();
  Scorer(Scorer&&) noexcept;
  Scorer& operator=(Scorer&&) noexcept;

  const Model& model() const;

  // See Model::predict(). Where features have names, indices are those of Model::coefficients.
  Prediction predict(std::span<const std::uint64_t> indices, std::span<const double> values) const;

  // A row as a line of the data file without its label:
  //   libsvm   "3:1 10:0.5"
  //   vw       "|words cheap watches:2"
  //   csv, tsv the other cells, in the order of the columns: "5.1,red", if the table had no header,
  //            or only columns of numbers, or only categorical ones. Otherwise give the names of
  //            the columns first, in any order: "color,size\nred,5.1"
  //   text     the text itself
  // Gives what `thresh predict` gives. Throws Error for a line that is not such a row, UsageError
  // for more than one row and for a table row whose columns are not known.
  Prediction predict(std::string_view line) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace thresh
