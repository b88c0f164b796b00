// The constants of a model exported as C.
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "model/export_c_parts.hpp"
#include "model/export_data.hpp"

namespace thresh {

// Characters that could end either, start a
// trigraph or depend on an encoding are written in octal.
std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte >= ' ' && byte < 0x7f && std::string_view("\"\\?*@").find(c) == std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", byte);
    }
  }
  return out + "\"";
}

namespace {

std::string numbers(const std::vector<double>& values) {
  return fmt::format("{:.17g}", fmt::join(values, ", "));
}

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
    std::size_t at = coefficients[i].index * kHashFactor >> (64 - table.bits);
    while (table.places[at] != 0) at = (at + 1) % table.places.size();
    table.places[at] = first + i + 1;
  }
  return table;
}

// All tables in sequence, where each begins, and the bits that a hash drops.
std::string tables_text(const std::vector<ClassPart>& parts) {
  std::string text =
      "\n/* Hash tables, one per class: 1 + the position of a weight, 0 if there is none. */\n"
      "static const uint32_t @_places[] = {";
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
  text += fmt::format("static const size_t @_tables[] = {{{}}};\n", fmt::join(starts, ", "));
  return text +
         fmt::format("static const unsigned char @_shifts[] = {{{}}};\n", fmt::join(shifts, ", "));
}

}  // namespace

// The weights of all classes in sequence.
std::string c_of_weights(const Model& model) {
  const std::vector<ClassPart> parts = parts_of(model);
  std::string text = "\nstatic const struct @_weight @_weights[] = {\n";
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
  text += fmt::format("static const double @_intercepts[] = {{{}}};\n", numbers(intercepts));
  return text + tables_text(parts);
}

// Those of all classes in sequence, and where each class begins.
std::string c_of_products(const Model& model) {
  const std::vector<Product> products = products_of(model);
  std::string text =
      "\n/* Products of two features, class by class. */\n"
      "static const struct {\n  uint64_t first, second;\n  double weight;\n} @_products[] = {\n";
  std::vector<std::size_t> starts(parts_of(model).size() + 1);
  for (const Product& each : products) {
    const FeaturePair& pair = *each.pair;
    text += fmt::format("  {{{}, {}, {:.17g}}},", pair.first, pair.second, each.weight);
    text += pair.first_name.empty() ? "\n"
                                    : fmt::format(" /* {} * {} */\n", c_string(pair.first_name),
                                                  c_string(pair.second_name));
    for (std::size_t c = each.part + 1; c < starts.size(); ++c) ++starts[c];
  }
  return text + fmt::format("}};\nstatic const size_t @_product_starts[] = {{{}}};\n",
                            fmt::join(starts, ", "));
}

std::string c_of_labels(const Model& model) {
  if (model.task == Task::regression) return "";
  std::vector<double> labels = model.class_labels();
  if (labels.empty()) labels = {model.negative_label, model.positive_label};
  std::string text = fmt::format("\nconst double @_labels[] = {{{}}};\n", numbers(labels));
  if (model.label_names.empty()) return text;
  text += "/* What labels 0, 1, ... are called. */\nconst char *const @_label_names[] = {\n";
  for (const std::string& name : model.label_names) text += fmt::format("  {},\n", c_string(name));
  return text + "};\n";
}

}  // namespace thresh
