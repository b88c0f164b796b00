// Records: named, typed values that describe how a model was made.
//
// docs/formats.md lists the names. A record is not a struct, because its fields depend on the
// solver, the options, the data and the version of the program that wrote it. Unknown fields of
// other versions are preserved, in their order, when a file is read and written again.
//
//     const double eta = model.options.at("eta").number();
//     const bool weighted = model.options.has("weighted");
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "thresh/error.hpp"

namespace thresh {

class Value;

// A field is missing, or a value has another type.
class RecordError : public Error {
 public:
  using Error::Error;
};

// Values by name, in insertion order.
class Record {
 public:
  struct Field;  // a name and its value

  // Defined where Field is complete.
  Record();
  ~Record();
  Record(const Record& other);
  Record(Record&& other) noexcept;
  Record& operator=(const Record& other);
  Record& operator=(Record&& other) noexcept;

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Value& at(std::string_view name) const;  // throws RecordError if there is none
  Value value(std::string_view name, Value otherwise) const;
  Value& operator[](std::string_view name);  // adds a null if there is none
  void erase(std::string_view name);

  bool empty() const { return fields_.empty(); }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool operator==(const Record& other) const;

  std::string json() const;  // an object on one line; throws RecordError for invalid UTF-8
  // Throws RecordError if the text is not a JSON object, or is nested too deeply.
  static Record parse(std::string_view json);

 private:
  const Value* find(std::string_view name) const;
  std::vector<Field> fields_;
};

class Value {
 public:
  using List = std::vector<Value>;
  // Only negative integers are stored as std::int64_t.
  using Content = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                               std::string, List, Record>;

  Value(std::nullptr_t = nullptr) {}
  Value(bool flag) : content_(flag) {}
  Value(double number) : content_(number) {}
  Value(std::string text) : content_(std::move(text)) {}
  Value(const char* text) : content_(std::string(text)) {}
  Value(List list) : content_(std::move(list)) {}
  Value(Record record) : content_(std::move(record)) {}
  template <std::integral Integer>
  Value(Integer number) : content_(static_cast<std::uint64_t>(number)) {
    if (std::cmp_less(number, 0)) content_ = static_cast<std::int64_t>(number);
  }
  template <class T>
  Value(const std::optional<T>& value) {
    if (value) *this = *value;
  }
  template <class T>
  Value(const std::vector<T>& values) : content_(List(values.begin(), values.end())) {}

  // The content as the given type. All throw RecordError if it has another type.
  bool flag() const;
  double number() const;
  std::uint64_t count() const;
  const std::string& text() const;
  std::vector<std::string> texts() const;
  const List& list() const;
  const Record& record() const;

  const Content& content() const { return content_; }
  bool is_null() const { return std::holds_alternative<std::nullptr_t>(content_); }
  bool operator==(const Value& other) const { return content_ == other.content_; }
  std::string json() const;

 private:
  Content content_ = nullptr;
};

struct Record::Field {
  std::string name;
  Value value;
  bool operator==(const Field& other) const { return name == other.name && value == other.value; }
};

// Conversions for nlohmann::json: `nlohmann::json json = record`, and `json.get<Record>()`, which
// throws RecordError if `json` is not an object.
template <class Json>
void to_json(Json& json, const Value& value) {
  std::visit([&](const auto& content) { json = content; }, value.content());
}
template <class Json>
void to_json(Json& json, const Record& record) {
  json = Json::object();
  for (const auto& [name, value] : record) json[name] = value;
}
template <class Json>
void from_json(const Json& json, Record& record) {
  if (!json.is_object()) throw RecordError("not a JSON object");
  record = {};
  for (const auto& [name, value] : json.items()) record[name] = value.template get<Value>();
}
template <class Json>
void from_json(const Json& json, Value& value) {
  if (json.is_boolean()) value = json.template get<bool>();
  if (json.is_number_unsigned()) value = json.template get<std::uint64_t>();
  if (json.is_number_integer() && !json.is_number_unsigned())
    value = json.template get<std::int64_t>();
  if (json.is_number_float()) value = json.template get<double>();
  if (json.is_string()) value = json.template get<std::string>();
  if (json.is_array()) value = json.template get<Value::List>();
  if (json.is_object()) value = json.template get<Record>();
  if (json.is_null()) value = nullptr;
}

}  // namespace thresh
