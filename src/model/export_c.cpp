// Exports a model as C99 source without dependencies. It sums in the same order as Predictor, so
// its margins equal those of `thresh predict` to the last bit.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

#include "model/export_c_parts.hpp"
#include "model/export_data.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"
#include "thresh/export.hpp"
#include "thresh/files.hpp"

namespace thresh {
namespace {

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  if (name.empty() || !letter(name[0])) return false;
  for (const char c : name) {
    if (!letter(c) && !std::isdigit(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

// The templates below are C. @ stands for the prefix, words in capitals for parts that depend on
// the model.

std::string comment(const Model& model) {
  std::string text =
      "/* A sparse linear model, written by thresh " THRESH_VERSION
      ". C99, no dependencies but the C library.\n *\n"
      " * A row is given by n indices, strictly ascending and as the data count them";
  text += fmt::format(
      " (from {}),\n * and their values. Features that the model does not know may be there",
      model.zero_based ? 0 : 1);
  text += model.normalize_l2 ? ":\n * they count in the length, to which rows are scaled here.\n"
                             : " or not.\n";
  if (c_reads_text(model)) {
    text += model.text ? " * Raw text goes to @_text_margins(). A row is a text's weighted terms.\n"
                       : " * Texts and the other columns go to @_row_margins().\n";
  } else if (model.format == Format::text) {
    text +=
        " * Raw text is not read here, because it needs libraries for hashes or stems: a row is a\n"
        " * text's weighted terms, by the indices below.\n";
  } else if (model.format != Format::libsvm) {
    text +=
        " * Names of features are not looked up here: indices are those that stand beside them.\n";
  }
  return text +
         " * Where the processor can multiply and add in one step, -ffp-contract=off keeps "
         "results\n"
         " * equal to those of `thresh predict` to the last bit. */\n";
}

constexpr std::string_view kTypes = R"(
MATH#include <stddef.h>
#include <stdint.h>

struct @_weight {
  uint64_t index;
  double weight;
};
)";

// Scales rows to unit length with the same bits as the readers.
constexpr std::string_view kScale = R"(
/* Values are to be multiplied by scale[0] and divided by scale[1]. */
static void @_scale(const double *values, size_t n, double scale[2]) {
  double largest = 0, sum = 0;
  size_t i;
  for (i = 0; i < n; ++i) {
    if (fabs(values[i]) > largest) largest = fabs(values[i]);
  }
  scale[0] = largest > 0x1p400 ? 0x1p-600 : largest < 0x1p-400 ? 0x1p600 : 1;
  for (i = 0; i < n; ++i) sum += (values[i] * scale[0]) * (values[i] * scale[0]);
  scale[1] = largest > 0 ? sqrt(sum) : 1;
}
)";

// Looks every index up in a hash table: a search among sorted weights takes ten times as long.
constexpr std::string_view kMargins = R"(
/* One margin a class. */
void @_margins(const uint64_t *indices, const double *values, size_t n, double *margins) {
  size_t c, i;
SCALE  for (c = 0; c < @_classes; ++c) {
    const uint32_t *const places = @_places + @_tables[c];
    const size_t last = @_tables[c + 1] - @_tables[c] - 1;
    double sum = 0;
    for (i = 0; i < n; ++i) {
      size_t at = (size_t)((indices[i] * UINT64_C(FACTOR)) >> @_shifts[c]);
      for (; places[at] != 0; at = (at + 1) & last) {
        const struct @_weight *const weight = &@_weights[places[at] - 1];
        if (weight->index == indices[i]) {
          sum += weight->weight * VALUE;
          break;
        }
      }
    }
    margins[c] = sum + @_intercepts[c];
PRODUCTS  }
}
)";

constexpr std::string_view kFind = R"(
/* The value of a feature of the row; NULL if it has none. */
static const double *@_value(const uint64_t *indices, const double *values, size_t n,
                             uint64_t index) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (indices[middle] < index) low = middle + 1;
    else high = middle;
  }
  return low < n && indices[low] == index ? &values[low] : NULL;
}
)";

constexpr std::string_view kProducts = R"(    sum = 0;
    for (i = @_product_starts[c]; i < @_product_starts[c + 1]; ++i) {
      const double *const a = @_value(indices, values, n, @_products[i].first);
      const double *const b = @_value(indices, values, n, @_products[i].second);
      if (a && b) sum += @_products[i].weight * (*aSCALED * *bSCALED);
    }
    margins[c] += sum;
)";

constexpr std::string_view kMargin = R"(
double @_margin(const uint64_t *indices, const double *values, size_t n) {
  double margin;
  @_margins(indices, values, n, &margin);
  return margin;
}
)";

constexpr std::string_view kValue = R"(
double @_predict(const uint64_t *indices, const double *values, size_t n) {
  return @_margin(indices, values, n);
}
)";

constexpr std::string_view kRate = R"(
/* The rate, whose logarithm is the margin; at most the largest double. */
double @_predict(const uint64_t *indices, const double *values, size_t n) {
  double rate = exp(@_margin(indices, values, n));
  return rate > 1.7976931348623157e308 ? 1.7976931348623157e308 : rate;
}
)";

constexpr std::string_view kLabelOfTwo = R"(
/* The label. */
double @_predict(const uint64_t *indices, const double *values, size_t n) {
  return @_margin(indices, values, n) > THRESHOLD ? @_labels[1] : @_labels[0];
}
)";

constexpr std::string_view kProbabilityOfTwo = R"(
/* P(label = @_labels[1]). */
double @_probability(const uint64_t *indices, const double *values, size_t n) {
  const double margin = @_margin(indices, values, n);
  return 1 / (1 + exp(-(SLOPE * margin + OFFSET)));
}
)";

constexpr std::string_view kLabelOfMany = R"(
/* The label: that of the largest margin, of equals the first. */
double @_predict(const uint64_t *indices, const double *values, size_t n) {
  double margins[@_classes];
  size_t c, largest = 0;
  @_margins(indices, values, n, margins);
  for (c = 1; c < @_classes; ++c) {
    if (margins[c] > margins[largest]) largest = c;
  }
  return @_labels[largest];
}
)";

constexpr std::string_view kLogistic = R"(
  for (c = 0; c < @_classes; ++c) { /* the logarithm of 1 / (1 + exp(-margin)) */
    const double m = shares[c];
    shares[c] = -(m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m);
  })";

constexpr std::string_view kProbabilities = R"(
/* One probability a class. */
void @_probabilities(const uint64_t *indices, const double *values, size_t n, double *shares) {
  double largest, sum = 0;
  size_t c;
  @_margins(indices, values, n, shares);LINK
  largest = shares[0];
  for (c = 1; c < @_classes; ++c) {
    if (shares[c] > largest) largest = shares[c];
  }
  for (c = 0; c < @_classes; ++c) sum += shares[c] = exp(shares[c] - largest);
  for (c = 0; c < @_classes; ++c) shares[c] /= sum;
}
)";

std::string functions_of_two(const Model& model) {
  std::string text(kMargin);
  const double threshold = model.threshold ? model.threshold->margin : 0;
  text += model.task == Task::regression
              ? std::string(model.log_link ? kRate : kValue)
              : replaced(kLabelOfTwo, "THRESHOLD", fmt::format("{:.17g}", threshold));
  if (!model.calibration) return text;
  const std::string slope = fmt::format("{:.17g}", model.calibration->slope);
  const std::string offset = fmt::format("{:.17g}", model.calibration->offset);
  return text + replaced(replaced(kProbabilityOfTwo, "SLOPE", slope), "OFFSET", offset);
}

std::string functions_of_many(const Model& model) {
  std::string text(kLabelOfMany);
  if (model.class_link == ClassLink::none) return text;
  return text +
         replaced(kProbabilities, "LINK", model.class_link == ClassLink::logistic ? kLogistic : "");
}

std::string functions(const Model& model) {
  const bool scaled = model.normalize_l2, products = !model.pairs.empty();
  std::string text(scaled ? kScale : "");
  if (products) text += kFind;
  text += replaced(replaced(kMargins, "SCALE",
                            scaled ? "  double scale[2];\n  @_scale(values, n, scale);\n" : ""),
                   "VALUE", scaled ? "(values[i] * scale[0] / scale[1])" : "values[i]");
  text = replaced(text, "PRODUCTS", products ? kProducts : "");
  text = replaced(text, "*aSCALED * *bSCALED",
                  scaled ? "(*a * scale[0] / scale[1]) * (*b * scale[0] / scale[1])" : "*a * *b");
  text = replaced(text, "FACTOR", fmt::format("{:#x}", kHashFactor));
  return text + (model.classes.empty() ? functions_of_two(model) : functions_of_many(model));
}

}  // namespace

namespace {

// What the header declares, or the source where there is no header.
std::string classes_enum(const Model& model) {
  return fmt::format("enum {{ @_classes = {} }};\n", parts_of(model).size());
}

std::string header_text(const Model& model) {
  constexpr const char* kRow = "const uint64_t *indices, const double *values, size_t n";
  std::string text =
      "/* Declares the functions of a model, written by thresh " THRESH_VERSION
      ". */\n#ifndef @_MODEL_H\n#define @_MODEL_H\n#include <stddef.h>\n#include <stdint.h>\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" +
      classes_enum(model);
  text += fmt::format("void @_margins({}, double *margins);\ndouble @_predict({});\n", kRow, kRow);
  if (model.classes.empty()) text += fmt::format("double @_margin({});\n", kRow);
  if (model.calibration) text += fmt::format("double @_probability({});\n", kRow);
  if (model.class_link != ClassLink::none) {
    text += fmt::format("void @_probabilities({}, double *shares);\n", kRow);
  }
  if (c_reads_text(model) && model.text) {
    text += "int @_text_margins(const char *text, size_t length, double *margins);\n";
  } else if (c_reads_text(model)) {
    text += "int @_row_margins(const char *const *texts, const size_t *lengths,\n" +
            fmt::format("    {}, double *margins);\n", kRow);
  }
  if (model.task == Task::classification) text += "extern const double @_labels[];\n";
  if (!model.label_names.empty()) text += "extern const char *const @_label_names[];\n";
  return text + "#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

}  // namespace

void export_c(const Model& model, const std::string& path, const std::string& prefix,
              const std::string& header) {
  if (!is_identifier(prefix)) {
    throw UsageError(fmt::format("--prefix '{}': not a name in C", prefix));
  }
  const bool text = c_reads_text(model);
  const bool math = model.normalize_l2 || model.calibration || model.log_link ||
                    model.class_link != ClassLink::none || text;
  std::string includes = math ? "#include <math.h>\n" : "";
  if (text) includes += "#include <stdlib.h>\n#include <string.h>\n";
  if (!header.empty()) {
    const std::string name = std::filesystem::path(header).filename().string();
    if (name.find_first_of("\"\\\n") != std::string::npos) {
      throw UsageError(fmt::format("--header {}: C cannot include this name", header));
    }
    includes = fmt::format("#include \"{}\"\n", name) + includes;
  }
  AtomicFile file(path);
  file.write(replaced(comment(model), "@", prefix));
  file.write(replaced(replaced(kTypes, "MATH", includes), "@", prefix));
  if (header.empty()) file.write(replaced(classes_enum(model), "@", prefix));
  file.write(replaced(c_of_weights(model), "@", prefix));
  if (!model.pairs.empty()) file.write(replaced(c_of_products(model), "@", prefix));
  file.write(replaced(c_of_labels(model), "@", prefix));
  file.write(replaced(functions(model), "@", prefix));
  if (text) {
    file.write(replaced(model.text ? c_of_text(model) : c_of_columns(model), "@", prefix));
  }
  if (header.empty()) return file.commit();
  AtomicFile declarations(header);
  declarations.write(replaced(header_text(model), "@", prefix));
  AtomicFile::commit_together({&file, &declarations});
}

}  // namespace thresh
