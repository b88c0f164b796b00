// Parts of a model exported as C. @ stands for the prefix.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "thresh/model.hpp"

namespace thresh {

// The weights of all classes with their hash tables by multiplicative hashing (2^64 divided by the
// golden ratio), the products of features, and the labels.
inline constexpr std::uint64_t kHashFactor = 0x9E3779B97F4A7C15;
std::string c_of_weights(const Model& model);
std::string c_of_products(const Model& model);
std::string c_of_labels(const Model& model);

// Whether the C turns texts into rows; hashes and stems would need libraries, and of rows of unit
// length it would have to know all columns.
bool c_reads_text(const Model& model);

// The functions @_text_margins() for a model of texts, and @_row_margins() for columns of text
// beside others, over @_margins().
std::string c_of_text(const Model& model);
std::string c_of_columns(const Model& model);

// @_row(), which turns a text into a row. `data` is what scoring_data() has of the text; `feature`
// gives the number of a term, of those of the text, as a feature; 0 if it has no weight.
std::string c_row_of_text(const TextVectorizer& text, const nlohmann::ordered_json& data,
                          const std::function<std::uint64_t(std::size_t)>& feature);

// A string literal that is also safe in a comment.
std::string c_string(std::string_view text);

}  // namespace thresh
