#include "thresh/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
const T& as(const Value& value, const char* expected) {
  if (const T* found = std::get_if<T>(&value.content())) return *found;
  throw RecordError(fmt::format("{} is not {}", value.json(), expected));
}

}  // namespace

Record::Record() = default;
Record::~Record() = default;
Record::Record(const Record& other) = default;
Record::Record(Record&& other) noexcept = default;
Record& Record::operator=(const Record& other) = default;
Record& Record::operator=(Record&& other) noexcept = default;

const Value* Record::find(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields_.end() ? nullptr : &found->value;
}

const Value& Record::at(std::string_view name) const {
  if (const Value* found = find(name)) return *found;
  throw RecordError(fmt::format("there is no {}", name));
}

Value Record::value(std::string_view name, Value otherwise) const {
  if (const Value* found = find(name)) return *found;
  return otherwise;
}

Value& Record::operator[](std::string_view name) {
  if (!has(name)) fields_.push_back({std::string(name), nullptr});
  return const_cast<Value&>(*find(name));
}

void Record::erase(std::string_view name) {
  std::erase_if(fields_, [&](const Field& field) { return field.name == name; });
}

bool Record::operator==(const Record& other) const {
  return fields_ == other.fields_;
}

std::string Record::json() const {
  try {
    return Json(*this).dump();
  } catch (const Json::exception&) {
    throw RecordError("a text is not UTF-8");
  }
}

// Limits the depth, because what handles values recurses: a file of brackets would exhaust the
// stack.
Record Record::parse(std::string_view json) {
  constexpr int kDeepest = 64;
  const auto check_depth = [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kDeepest) throw RecordError("nested too deeply");
    return true;
  };
  try {
    return Json::parse(json, check_depth).get<Record>();
  } catch (const Json::exception&) {
    throw RecordError("not JSON");
  }
}

bool Value::flag() const {
  return as<bool>(*this, "true or false");
}

double Value::number() const {
  if (const auto* count = std::get_if<std::uint64_t>(&content_)) return static_cast<double>(*count);
  if (const auto* below = std::get_if<std::int64_t>(&content_)) return static_cast<double>(*below);
  return as<double>(*this, "a number");
}

std::uint64_t Value::count() const {
  return as<std::uint64_t>(*this, "a count");
}

const std::string& Value::text() const {
  return as<std::string>(*this, "a text");
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> texts;
  for (const Value& value : list()) texts.push_back(value.text());
  return texts;
}

const Value::List& Value::list() const {
  return as<List>(*this, "a list");
}

const Record& Value::record() const {
  return as<Record>(*this, "a record");
}

std::string Value::json() const {
  return Json(*this).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace thresh
