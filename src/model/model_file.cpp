// The model file. Text, so that it can be read, compared and mended by hand:
//
//     thresh-model 1
//     {"task":"classification", ...}              one line of JSON
//     INDEX<TAB>WEIGHT[<TAB>NAME]                 one line a non-zero, ascending, %.17g
//     end COUNT crc32 HEX                         over every byte before this line
//
// docs/formats.md describes it for users.

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "data/bytes.hpp"
#include "data/feature_map.hpp"
#include "data/number.hpp"
#include "files/atomic_file.hpp"
#include "thresh/error.hpp"
#include "thresh/model.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "thresh-model ";
constexpr std::string_view kVersion = "1";

std::uint32_t crc(std::uint32_t so_far, std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  return static_cast<std::uint32_t>(crc32_z(so_far, bytes, text.size()));
}

Json header_of(const Model& model) {
  Json json;
  json["task"] = model.task == Task::classification ? "classification" : "regression";
  json["solver"] = model.solver;
  if (model.task == Task::classification) {
    json["labels"] = {model.negative_label, model.positive_label};
  }
  json["dimension"] = model.dimension;
  json["zero_based"] = model.zero_based;
  json["normalize"] = model.normalize_l2 ? "l2" : "none";
  if (model.has_intercept) {
    json["intercept"] = model.intercept;
  } else {
    json["intercept"] = nullptr;
  }
  if (model.calibration) {
    json["calibration"] = {{"slope", model.calibration->slope},
                           {"offset", model.calibration->offset}};
  }
  json["options"] = Json::parse(model.options);
  json["summary"] = Json::parse(model.summary);
  return json;
}

double finite(const Json& json) {
  const double value = json.get<double>();
  if (!std::isfinite(value)) throw Error("a number is not finite");
  return value;
}

void read_header(std::string_view line, Model& model) {
  const Json json = Json::parse(line);
  const std::string task = json.at("task");
  if (task != "classification" && task != "regression") throw Error("unknown task " + task);
  model.task = task == "classification" ? Task::classification : Task::regression;
  model.solver = json.at("solver");
  if (model.task == Task::classification) {
    model.negative_label = finite(json.at("labels").at(0));
    model.positive_label = finite(json.at("labels").at(1));
  }
  model.dimension = json.at("dimension");
  model.zero_based = json.at("zero_based");
  model.normalize_l2 = json.at("normalize") == "l2";
  model.has_intercept = !json.at("intercept").is_null();
  model.intercept = model.has_intercept ? finite(json.at("intercept")) : 0;
  if (json.contains("calibration")) {
    model.calibration = Calibration{finite(json["calibration"].at("slope")),
                                    finite(json["calibration"].at("offset"))};
  }
  model.options = json.at("options").dump();
  model.summary = json.at("summary").dump();
}

// Walks over the lines of a file that is in memory, the running checksum beside it. Every line
// still has its line feed behind it, which the number parsers rely on.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::string_view next() {
    const std::size_t length = rest_.find('\n');
    if (length == std::string_view::npos) throw Error("truncated");
    const std::string_view line = rest_.substr(0, length);
    before_ = sum_;
    sum_ = crc(sum_, rest_.substr(0, length + 1));
    rest_.remove_prefix(length + 1);
    ++number_;
    return line;
  }
  // Of everything before the last line.
  std::uint32_t sum_before() const { return before_; }
  bool done() const { return rest_.empty(); }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::uint32_t sum_ = crc(0, "");
  std::uint32_t before_ = 0;
  std::size_t number_ = 0;
};

Coefficient read_coefficient(std::string_view line, const Model& model) {
  const char* p = line.data();
  const char* const end = p + line.size();
  Coefficient coefficient{};
  coefficient.index = parse_index(p);
  const std::uint64_t first = model.zero_based ? 0 : 1;
  const bool index_ok = p > line.data() && *p == '\t' && coefficient.index >= first &&
                        coefficient.index - first < FeatureMap::kMaxIndex;
  const bool ascending =
      model.coefficients.empty() || model.coefficients.back().index < coefficient.index;
  if (!index_ok || !ascending) throw Error("bad feature index");
  const bool weight_ok = parse_number(++p, end, coefficient.weight) && (p == end || *p == '\t');
  if (!weight_ok || !std::isfinite(coefficient.weight) || coefficient.weight == 0) {
    throw Error("bad weight");
  }
  if (p < end) coefficient.name.assign(p + 1, end);
  return coefficient;
}

Model parse_model(std::string_view text) {
  if (!text.starts_with(kMagic)) throw Error("not a thresh model");
  Lines lines(text);
  const std::string_view version = lines.next().substr(kMagic.size());
  if (version != kVersion) {
    throw Error(fmt::format("model format {} is not known to this program", version.substr(0, 20)));
  }
  Model model;
  try {
    read_header(lines.next(), model);
  } catch (const nlohmann::json::exception&) {
    throw Error("the header is damaged");
  }
  for (;;) {
    const std::string_view line = lines.next();
    if (line.starts_with("end ")) {
      const std::string expected = fmt::format("end {} crc32 {:08x}", model.coefficients.size(),
                                               lines.sum_before());
      if (line != expected || !lines.done()) throw Error("the checksum does not match: altered");
      return model;
    }
    try {
      model.coefficients.push_back(read_coefficient(line, model));
    } catch (const Error& error) {
      throw Error(fmt::format("line {}: {}", lines.number(), error.what()));
    }
  }
}

// A model never needs more memory than a small multiple of its file.
std::string read_all(const std::string& path) {
  const std::unique_ptr<ByteStream> bytes = open_bytes(path);
  std::string text;
  for (std::size_t got = 1; got > 0;) {
    const std::size_t have = text.size();
    text.resize(have + (std::size_t{1} << 16) + have / 2);
    got = bytes->read(text.data() + have, text.size() - have);
    text.resize(have + got);
    if (!text.starts_with(kMagic.substr(0, text.size()))) break;  // a wrong file may be huge
  }
  return text;
}

}  // namespace

void Model::save(const std::string& path) const {
  AtomicFile file(path);
  std::uint32_t sum = crc(0, "");
  const auto put = [&](const std::string& text) {
    sum = crc(sum, text);
    file.write(text);
  };
  put(fmt::format("{}{}\n", kMagic, kVersion));
  put(header_of(*this).dump() + "\n");
  for (const Coefficient& coefficient : coefficients) {
    put(fmt::format("{}\t{:.17g}{}{}\n", coefficient.index, coefficient.weight,
                    coefficient.name.empty() ? "" : "\t", coefficient.name));
  }
  file.write(fmt::format("end {} crc32 {:08x}\n", coefficients.size(), sum));
  file.commit();
}

Model Model::load(const std::string& path) {
  const std::string name = path == "-" ? "<stdin>" : path;
  const std::string text = read_all(path);
  try {
    return parse_model(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace thresh
