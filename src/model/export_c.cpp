// Exports a model as C99 source without dependencies. It sums in the same order as Predictor, so
// its margins equal those of `thresh predict` to the last bit.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

#include "model/export_c_text.hpp"
#include "model/export_data.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"
#include "thresh/export.hpp"
#include "thresh/files.hpp"

namespace thresh {
namespace {

// A string literal that is also safe in a comment. Characters that could end either, start a
// trigraph or depend on an encoding are written in octal.
std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte >= ' ' && byte < 0x7f && std::string_view("\"\\?*").find(c) == std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", byte);
    }
  }
  return out + "\"";
}

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

// Whether the C turns texts into rows; hashes and stems would need libraries.
bool reads_text(const Model& model) {
  return model.text && model.text->options().hash_bits == 0 && model.text->options().stem.empty();
}

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
  if (reads_text(model)) {
    text += " * Raw text goes to @_text_margins(). A row is a text's weighted terms.\n";
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
  }
}
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

std::string numbers(const std::vector<double>& values) {
  return fmt::format("{:.17g}", fmt::join(values, ", "));
}

// For multiplicative hashing: 2^64 divided by the golden ratio.
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;

// The hash table of a class: at least half of the places are empty, so a search ends soon.
struct Table {
  int bits = 1;
  std::vector<std::size_t> places;  // 1 + the position of a weight; 0: empty
};

Table hashed(const std::vector<Coefficient>& coefficients, std::size_t first) {
  Table table;
  while (std::size_t{1} << table.bits < 2 * coefficients.size()) ++table.bits;
  table.places.resize(std::size_t{1} << table.bits);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    std::size_t at = coefficients[i].index * kFactor >> (64 - table.bits);
    while (table.places[at] != 0) at = (at + 1) % table.places.size();
    table.places[at] = first + i + 1;
  }
  return table;
}

// All tables in sequence, where each begins, and the bits that a hash drops.
std::string tables_text(const std::vector<ClassPart>& parts, const std::string& prefix) {
  std::string text = fmt::format(
      "\n/* Hash tables, one per class: 1 + the position of a weight, 0 if there is none. */\n"
      "static const uint32_t {}_places[] = {{",
      prefix);
  std::vector<std::size_t> starts = {0};
  std::vector<int> shifts;
  std::size_t weights = 0;
  std::size_t written = 0;
  for (const ClassPart& part : parts) {
    const Table table = hashed(part.coefficients, weights);
    for (const std::size_t place : table.places) {
      text += fmt::format("{}{},", written++ % 12 == 0 ? "\n  " : " ", place);
    }
    weights += part.coefficients.size();
    starts.push_back(written);
    shifts.push_back(64 - table.bits);
  }
  text += "\n};\n";
  text +=
      fmt::format("static const size_t {}_tables[] = {{{}}};\n", prefix, fmt::join(starts, ", "));
  return text + fmt::format("static const unsigned char {}_shifts[] = {{{}}};\n", prefix,
                            fmt::join(shifts, ", "));
}

// The weights of all classes in sequence.
std::string weights_text(const std::vector<ClassPart>& parts, const std::string& prefix) {
  std::string text = fmt::format("\nstatic const struct {0}_weight {0}_weights[] = {{\n", prefix);
  std::size_t count = 0;
  std::vector<double> intercepts;
  for (const ClassPart& part : parts) {
    for (const Coefficient& c : part.coefficients) {
      text += fmt::format("  {{{}, {:.17g}}},", c.index, c.weight);
      text += c.name.empty() ? "\n" : fmt::format(" /* {} */\n", c_string(c.name));
    }
    count += part.coefficients.size();
    intercepts.push_back(part.intercept);
  }
  if (count == 0) text += "  {0, 0} /* C has no empty arrays; this one is never read */\n";
  text += "};\n";
  text +=
      fmt::format("static const double {}_intercepts[] = {{{}}};\n", prefix, numbers(intercepts));
  return text + tables_text(parts, prefix);
}

std::string labels_text(const Model& model, const std::string& prefix) {
  if (model.task == Task::regression) return "";
  std::vector<double> labels = model.class_labels();
  if (labels.empty()) labels = {model.negative_label, model.positive_label};
  std::string text = fmt::format("\nconst double {}_labels[] = {{{}}};\n", prefix, numbers(labels));
  if (model.label_names.empty()) return text;
  text += fmt::format(
      "/* What labels 0, 1, ... are called. */\nconst char *const {}_label_names[] = {{\n", prefix);
  for (const std::string& name : model.label_names) text += fmt::format("  {},\n", c_string(name));
  return text + "};\n";
}

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
  const bool scaled = model.normalize_l2;
  std::string text(scaled ? kScale : "");
  text += replaced(replaced(kMargins, "SCALE",
                            scaled ? "  double scale[2];\n  @_scale(values, n, scale);\n" : ""),
                   "VALUE", scaled ? "(values[i] * scale[0] / scale[1])" : "values[i]");
  text = replaced(text, "FACTOR", fmt::format("{:#x}", kFactor));
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
  if (reads_text(model)) {
    text += "int @_text_margins(const char *text, size_t length, double *margins);\n";
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
  refuse_pairs(model, "C");
  const bool text = reads_text(model);
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
  file.write(weights_text(parts_of(model), prefix));
  file.write(labels_text(model, prefix));
  file.write(replaced(functions(model), "@", prefix));
  if (text) file.write(replaced(c_of_text(model), "@", prefix));
  if (header.empty()) return file.commit();
  AtomicFile declarations(header);
  declarations.write(replaced(header_text(model), "@", prefix));
  AtomicFile::commit_together({&file, &declarations});
}

}  // namespace thresh
