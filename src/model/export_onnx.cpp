// Exports a model as ONNX over the features that are left. The file is a protocol buffer, whose
// wire format is a few lines: every field is a tag, then a number or a length and bytes.
//
// Numbers of messages and fields are those of onnx.proto3 (IR version 8).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "data/read/utf8.hpp"
#include "model/export_data.hpp"
#include "thresh/error.hpp"
#include "thresh/export.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"
#include "thresh/version.hpp"

namespace thresh {
namespace {

// A message being written.
class Message {
 public:
  Message& number(unsigned field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
    return *this;
  }
  Message& text(unsigned field, std::string_view bytes) {
    varint(field << 3 | 2);
    varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& message(unsigned field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

enum Type : std::uint64_t { kInt64 = 7, kWords = 8, kDouble = 11 };

// Little-endian, whatever the machine.
std::string raw(std::uint64_t bits) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xFF);
  return bytes;
}

Message tensor(const std::string& name, const std::vector<std::uint64_t>& shape, Type type) {
  Message tensor;
  for (const std::uint64_t size : shape) tensor.number(1, size);
  return tensor.number(2, type).text(8, name);
}
Message doubles(const std::string& name, const std::vector<std::uint64_t>& shape,
                const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) bytes += raw(std::bit_cast<std::uint64_t>(value));
  return tensor(name, shape, kDouble).text(9, bytes);
}

Message attribute(const std::string& name, std::uint64_t value) {
  return Message().text(1, name).number(3, value).number(20, 2);  // 2: an integer
}

// An input or output, N rows of `columns`, or of one value each if 0.
Message value_info(const std::string& name, Type type, std::uint64_t columns) {
  Message shape;
  shape.message(1, Message().text(2, "N"));
  if (columns > 0) shape.message(1, Message().number(1, columns));
  const Message type_of = Message().number(1, type).message(2, shape);
  return Message().text(1, name).message(2, Message().message(1, type_of));
}

class Graph {
 public:
  void node(const std::string& operation, const std::vector<std::string>& inputs,
            const std::string& output, const std::vector<Message>& attributes = {}) {
    Message node;
    for (const std::string& input : inputs) node.text(1, input);
    node.text(2, output).text(3, output).text(4, operation);
    for (const Message& attribute : attributes) node.message(5, attribute);
    graph_.message(1, node);
  }
  void constant(const Message& tensor) { graph_.message(5, tensor); }
  void input(const Message& info) { graph_.message(11, info); }
  void output(const Message& info) { graph_.message(12, info); }
  Message finish() { return graph_.text(2, "thresh"); }

 private:
  Message graph_;
};

void add_labels(const Model& model, Graph& graph) {
  std::vector<double> labels = model.class_labels();
  if (labels.empty()) labels = {model.negative_label, model.positive_label};
  const bool words = !model.label_names.empty();
  if (words) {
    Message names = tensor("labels", {labels.size()}, kWords);
    for (const double label : labels) names.text(6, model.label_text(label));
    graph.constant(names);
  } else {
    graph.constant(doubles("labels", {labels.size()}, labels));
  }
  if (model.classes.empty()) {
    graph.constant(doubles("threshold", {}, {model.threshold ? model.threshold->margin : 0}));
    graph.constant(tensor("flat", {1}, kInt64).text(9, raw(~std::uint64_t{0})));
    graph.node("Greater", {"margins", "threshold"}, "above");
    graph.node("Cast", {"above"}, "column", {attribute("to", kInt64)});
    graph.node("Reshape", {"column", "flat"}, "place");
  } else {
    graph.node("ArgMax", {"margins"}, "place", {attribute("axis", 1), attribute("keepdims", 0)});
  }
  graph.node("Gather", {"labels", "place"}, "label");
  graph.output(value_info("label", words ? kWords : kDouble, 0));
}

void add_probabilities(const Model& model, Graph& graph) {
  if (model.calibration) {
    graph.constant(doubles("slope", {}, {model.calibration->slope}));
    graph.constant(doubles("offset", {}, {model.calibration->offset}));
    graph.node("Mul", {"margins", "slope"}, "scaled");
    graph.node("Add", {"scaled", "offset"}, "logit");
    graph.node("Sigmoid", {"logit"}, "probabilities");
  } else if (model.class_link == ClassLink::softmax) {
    graph.node("Softmax", {"margins"}, "probabilities", {attribute("axis", 1)});
  } else if (model.class_link == ClassLink::logistic) {
    graph.constant(tensor("classes", {1}, kInt64).text(9, raw(1)));
    graph.node("Sigmoid", {"margins"}, "shares");
    graph.node("ReduceSum", {"shares", "classes"}, "sum", {attribute("keepdims", 1)});
    graph.node("Div", {"shares", "sum"}, "probabilities");
  } else {
    return;
  }
  graph.output(
      value_info("probabilities", kDouble, std::max<std::size_t>(1, model.classes.size())));
}

// Columns of the features, each with a factor, that stand in the order of the pairs.
void add_factor(const std::string& name, const std::vector<std::uint64_t>& columns, Graph& graph) {
  std::string bytes;
  for (const std::uint64_t column : columns) bytes += raw(column);
  graph.constant(tensor(name + "_columns", {columns.size()}, kInt64).text(9, bytes));
  graph.node("Gather", {"features", name + "_columns"}, name, {attribute("axis", 1)});
}

// Appends a column for each pair of features to those of the features.
void add_pairs(const std::vector<const FeaturePair*>& pairs,
               const std::map<std::uint64_t, std::uint64_t>& columns, Graph& graph) {
  std::vector<std::uint64_t> first, second;
  for (const FeaturePair* const pair : pairs) {
    first.push_back(columns.at(pair->first));
    second.push_back(columns.at(pair->second));
  }
  add_factor("first", first, graph);
  add_factor("second", second, graph);
  graph.node("Mul", {"first", "second"}, "pairs");
  graph.node("Concat", {"features", "pairs"}, "all", {attribute("axis", 1)});
}

// The margins of the features, and of pairs of them.
void add_margins(const Model& model, const std::map<std::uint64_t, std::string>& features,
                 Graph& graph) {
  const std::vector<ClassPart> parts = parts_of(model);
  const std::vector<Product> products = products_of(model);
  std::map<std::uint64_t, std::uint64_t> rows;  // of the matrix of weights, by index
  for (const auto& [index, name] : features) rows.emplace(index, rows.size());
  std::vector<const FeaturePair*> pairs;
  for (const Product& product : products) {
    if (rows.emplace(product.pair->index, rows.size()).second) pairs.push_back(product.pair);
  }
  if (!pairs.empty()) add_pairs(pairs, rows, graph);
  std::vector<double> weights(rows.size() * parts.size()), intercepts;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    intercepts.push_back(parts[c].intercept);
    for (const Coefficient& each : parts[c].coefficients) {
      weights[rows.at(each.index) * parts.size() + c] = each.weight;
    }
  }
  for (const Product& product : products) {
    weights[rows.at(product.pair->index) * parts.size() + product.part] = product.weight;
  }
  graph.constant(doubles("weights", {rows.size(), parts.size()}, weights));
  graph.constant(doubles("intercepts", {parts.size()}, intercepts));
  graph.node("MatMul", {pairs.empty() ? "features" : "all", "weights"}, "products");
  graph.node("Add", {"products", "intercepts"}, "margins");
  graph.output(value_info("margins", kDouble, parts.size()));
}

}  // namespace

void export_onnx(const Model& model, const std::string& path) {
  const auto features = features_of(model);
  const auto refuse = [](const char* why) {
    throw Error(fmt::format("ONNX cannot hold this model: {}", why));
  };
  if (features.empty()) refuse("it has no weights");
  if (model.normalize_l2) refuse("it scales rows to unit length, of which it knows a few features");
  std::string indices, names;
  for (const auto& [index, name] : features) {
    if (!is_utf8(name)) refuse("a name is not UTF-8");
    indices += fmt::format("{}{}", indices.empty() ? "" : " ", index);
    names += escaped(name) + "\n";
  }
  Graph graph;
  graph.input(value_info("features", kDouble, features.size()));
  add_margins(model, features, graph);
  if (model.task == Task::classification) add_labels(model, graph);
  if (model.log_link) {
    graph.node("Exp", {"margins"}, "rates");
    graph.output(value_info("rates", kDouble, 1));
  }
  add_probabilities(model, graph);
  Message file;
  file.number(1, 8).text(2, "thresh").text(3, version()).message(7, graph.finish());
  file.message(8, Message().text(1, "").number(2, 13));  // the operators of version 13
  file.message(14, Message().text(1, "feature_indices").text(2, indices));
  file.message(14, Message().text(1, "feature_names").text(2, names));
  write_file(path, file.bytes());
}

}  // namespace thresh
