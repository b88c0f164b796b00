// More than two classes, each against the rest: what is certified of each is what is certified of a
// model of two classes, and one bound is for all of them together.
//
// All parts are functions of the rows that caused an update of any of them: the others changed none
// of them. So the union of the kernels is a compression scheme for the model as a whole, and eq. 17
// holds for its error as it does for that of two classes.
#pragma once

#include <cstdint>
#include <vector>

#include "certify/training_rows.hpp"

namespace thresh {

// The part of one class as a model of two, the class and the rest; `updates` are those that its
// part of the training is said to have made.
Model class_alone(const Model& model, std::size_t number, std::uint64_t updates);
Claimed claim_of(const Claimed& claimed, const Model& alone, std::size_t number);

// Rows of which the model as a whole predicts the wrong class.
std::uint64_t wrong_classes(const Claimed& claimed);

// How many different rows are in any of these.
std::uint64_t size_of_union(const std::vector<std::vector<std::uint64_t>>& kernels);

}  // namespace thresh
