// Records: named values that keep their order and types, and refuse to be read as another type.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sparse/random.hpp"
#include "thresh/record.hpp"
#include "tools/error_of.hpp"

namespace thresh::record_edge {
namespace {

using Json = nlohmann::ordered_json;

// Anything that a file may contain, with names that repeat now and then.
Json random_json(Random& random, int depth) {
  switch (random.below(depth > 0 ? 9 : 7)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 0;
    case 2:
      return -static_cast<std::int64_t>(random.below(1000)) - 1;
    case 3:
      return ~random.below(1000);  // beyond the range of signed numbers
    case 4:
      return 0.1 * static_cast<double>(random.below(1000));
    case 5:
      return static_cast<double>(random.below(5));  // stays a double: 3.0 and not 3
    case 6:
      return "text \u00e9\n" + std::to_string(random.below(10));
    case 7: {
      Json list = Json::array();
      for (std::uint64_t n = random.below(4); n > 0; --n) {
        list.push_back(random_json(random, depth - 1));
      }
      return list;
    }
    default: {
      Json object = Json::object();
      for (std::uint64_t n = random.below(5); n > 0; --n) {
        object[std::to_string(random.below(10))] = random_json(random, depth - 1);
      }
      return object;
    }
  }
}

TEST(Record, AnyJsonComesBackToTheByte) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    Json json;
    json["z"] = random_json(random, 4);
    json["a"] = random_json(random, 4);
    const std::string text = json.dump();
    const Record record = Record::parse(text);
    EXPECT_EQ(record.json(), text);
    EXPECT_EQ(Json(record), json);
    EXPECT_EQ(json.get<Record>(), record);
  }
}

TEST(Record, ValuesHaveOneType) {
  const Record record = Record::parse(
      R"({"n":null,"f":true,"c":7,"m":-7,"d":0.5,"t":"x","l":["a","b"],"r":{"q":1}})");
  EXPECT_TRUE(record.at("n").is_null());
  EXPECT_TRUE(record.at("f").flag());
  EXPECT_EQ(record.at("c").count(), 7U);
  EXPECT_EQ(record.at("c").number(), 7);
  EXPECT_EQ(record.at("m").number(), -7);
  EXPECT_EQ(record.at("d").number(), 0.5);
  EXPECT_EQ(record.at("t").text(), "x");
  EXPECT_EQ(record.at("l").texts(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(record.at("r").record().at("q").count(), 1U);
  EXPECT_EQ(error_of([&] { record.at("t").number(); }), "\"x\" is not a number");
  EXPECT_EQ(error_of([&] { record.at("m").count(); }), "-7 is not a count");
  EXPECT_EQ(error_of([&] { record.at("d").count(); }), "0.5 is not a count");
  EXPECT_EQ(error_of([&] { record.at("c").flag(); }), "7 is not true or false");
  EXPECT_EQ(error_of([&] { record.at("n").text(); }), "null is not a text");
  EXPECT_EQ(error_of([&] { record.at("r").list(); }), "{\"q\":1} is not a list");
  EXPECT_EQ(error_of([&] { record.at("l").record(); }), "[\"a\",\"b\"] is not a record");
  EXPECT_EQ(error_of([&] { record.at("missing"); }), "there is no missing");
  EXPECT_EQ(record.value("missing", 3).count(), 3U);
}

TEST(Record, FieldsKeepTheirPlaces) {
  Record record;
  record["b"] = 1;
  record["a"] = std::optional<double>();
  record["c"] = std::vector<std::string>{"x"};
  record["b"] = "again";
  EXPECT_EQ(record.json(), R"({"b":"again","a":null,"c":["x"]})");
  record.erase("a");
  EXPECT_FALSE(record.has("a"));
  EXPECT_EQ(record.json(), R"({"b":"again","c":["x"]})");
}

TEST(Record, TextThatIsNoRecordIsRefused) {
  for (const char* text : {"", "[]", "3", "{", "{\"a\":1} x", "{\"a\":\"\xff\"}"}) {
    EXPECT_THROW(Record::parse(text), RecordError) << text;
  }
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_THROW(Record::parse("{\"a\":" + deep + "}"), RecordError);
  Record record;
  record["name"] = "\xff";
  EXPECT_THROW(record.json(), RecordError);
}

}  // namespace
}  // namespace thresh::record_edge
