// Reading the model file; model_file.cpp describes it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/bytes.hpp"
#include "data/read/number.hpp"
#include "data/read/utf8.hpp"
#include "model/model_format.hpp"
#include "sparse/feature_map.hpp"
#include "text/text_format.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

double finite(const Json& json) {
  const double value = json.get<double>();
  if (!std::isfinite(value)) throw Error("a number is not finite");
  return value;
}

std::string read_object(const Json& json) {
  if (!json.is_object()) throw Error("the header is damaged");
  return json.dump();
}

// Whether a word of the header is the first of two. A third may come from a later version and mean
// something.
bool is_first(const Json& header, const char* key, std::string_view first,
              std::string_view second) {
  const auto& word = header.at(key).get_ref<const std::string&>();
  if (word != first && word != second) throw Error(fmt::format("unknown {} in the header", key));
  return word == first;
}

// Labels, intercepts and link of more than two classes.
void read_classes(const Json& json, Model& model) {
  const Json& labels = json.at("labels");
  const Json& intercept = json.at("intercept");
  if (!labels.is_array() || labels.size() < 3) throw Error("the header is damaged");
  for (std::size_t c = 0; c < labels.size(); ++c) {
    ClassPart part{finite(labels[c]), 0, {}};
    if (!model.classes.empty() && model.classes.back().label >= part.label) {
      throw Error("the labels in the header do not ascend");
    }
    if (!intercept.is_null()) part.intercept = finite(intercept.at(c));
    model.classes.push_back(std::move(part));
  }
  if (!intercept.is_null() && intercept.size() != labels.size()) {
    throw Error("the header is damaged");
  }
  const auto& link = json.at("class_link").get_ref<const std::string&>();
  const auto found = std::find(std::begin(kLinkNames), std::end(kLinkNames), link);
  if (found == std::end(kLinkNames)) throw Error("unknown class_link in the header");
  model.class_link = static_cast<ClassLink>(found - std::begin(kLinkNames));
}

// What models of data with names have beyond the others.
void read_naming(const Json& json, Model& model) {
  model.label_names = json.at("label_names").get<std::vector<std::string>>();
  const auto format = format_named(json.at("format").get_ref<const std::string&>());
  if (!format) throw Error("unknown format in the header");
  model.format = *format;
  model.reading = read_object(json.at("reading"));
}

void read_header(const Json& json, bool many_classes, Model& model) {
  const bool classes = is_first(json, "task", "classification", "regression");
  model.task = classes ? Task::classification : Task::regression;
  model.solver = json.at("solver");
  if (classes && !many_classes) {
    model.negative_label = finite(json.at("labels").at(0));
    model.positive_label = finite(json.at("labels").at(1));
  }
  if (!json.at("dimension").is_number_unsigned()) throw Error("the header is damaged");
  model.dimension = json.at("dimension");
  if (model.dimension > FeatureMap::kMaxIndex) throw Error("the dimension is above 2^40");
  model.zero_based = json.at("zero_based");
  model.normalize_l2 = is_first(json, "normalize", "l2", "none");
  model.has_intercept = !json.at("intercept").is_null();
  if (many_classes) {
    read_classes(json, model);
  } else {
    model.intercept = model.has_intercept ? finite(json.at("intercept")) : 0;
  }
  if (json.contains("calibration")) {
    model.calibration = Calibration{finite(json["calibration"].at("slope")),
                                    finite(json["calibration"].at("offset"))};
  }
  if (!labels_have_names(model)) throw Error("the header is damaged");
  model.options = read_object(json.at("options"));
  model.summary = read_object(json.at("summary"));
  if (json.contains("certificate")) model.certificate = read_object(json["certificate"]);
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

// How texts become rows.
void read_text(const Json& reading, Lines& lines, Model& model) {
  VectorizerReader reader(reading, model.dimension);
  constexpr std::string_view kTerms = "terms ";
  const std::string_view head = lines.next();
  const char* p = head.data() + std::min(kTerms.size(), head.size());
  const std::uint64_t terms = parse_index(p);
  if (head != terms_line(terms)) throw Error("the terms are missing");
  for (std::uint64_t i = 0; i < terms; ++i) {
    const std::string_view line = lines.next();
    try {
      reader.add_term(line);
    } catch (const Error& error) {
      throw Error(fmt::format("line {}: {}", lines.number(), error.what()));
    }
  }
  model.text = reader.finish();
}

Coefficient read_coefficient(std::string_view line, const Model& model, bool escaped,
                             const std::vector<Coefficient>& before) {
  const char* p = line.data();
  const char* const end = p + line.size();
  Coefficient coefficient{};
  coefficient.index = parse_index(p);
  const std::uint64_t first = model.zero_based ? 0 : 1;
  const bool index_ok = p > line.data() && *p == '\t' && coefficient.index >= first &&
                        coefficient.index - first < model.dimension;
  const bool ascending = before.empty() || before.back().index < coefficient.index;
  if (!index_ok || !ascending) throw Error("bad feature index");
  const bool weight_ok = parse_number(++p, end, coefficient.weight) && (p == end || *p == '\t');
  if (!weight_ok || !std::isfinite(coefficient.weight) || coefficient.weight == 0) {
    throw Error("bad weight");
  }
  if (p < end) coefficient.name.assign(p + 1, end);
  if (escaped) coefficient.name = unescaped(coefficient.name);
  return coefficient;
}

// A model never needs more memory than a small multiple of its file.
std::string read_all(const std::string& path) {
  const std::unique_ptr<ByteStream> bytes = open_bytes(path);
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  std::string text;
  std::size_t size = 0;
  for (std::size_t got = 1; got > 0; size += got) {
    const std::string_view head = std::string_view(text).substr(0, std::min(size, kMagic.size()));
    if (!kMagic.starts_with(head)) break;  // a wrong file may be huge
    if (text.size() - size < kChunk) text.resize(size + kChunk + size / 2);
    got = bytes->read(text.data() + size, text.size() - size);
  }
  text.resize(size);
  return text;
}

// For a message: what follows may have come from anywhere.
std::string printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) c = c >= 0x20 && c < 0x7f ? c : '?';
  return clean;
}

}  // namespace

Model parse_model(std::string_view text) {
  if (!text.starts_with(kMagic)) throw Error("not a thresh model");
  Lines lines(text);
  const std::string_view version = lines.next().substr(kMagic.size());
  const bool named = version == kNamed;
  bool many_classes = version == kManyClasses;
  if (version != kTwoClasses && !many_classes && !named) {
    throw Error(fmt::format("model format {} is not known to this program",
                            printable(version.substr(0, 20))));
  }
  Model model;
  try {
    const Json header = parse_json(lines.next());
    if (named) {
      read_naming(header, model);
      many_classes = header.contains("class_link");
    }
    read_header(header, many_classes, model);
    if (model.format == Format::text) read_text(header.at("reading"), lines, model);
  } catch (const nlohmann::json::exception&) {
    throw Error("the header is damaged");
  }
  std::vector<Coefficient>* into = many_classes ? nullptr : &model.coefficients;
  for (std::size_t next_class = 0;;) {
    const std::string_view line = lines.next();
    if (line.starts_with("end ")) {
      const std::string expected =
          fmt::format("end {} crc32 {:08x}", model.nonzeros(), lines.sum_before());
      if (line != expected || !lines.done()) throw Error("the checksum does not match: altered");
      if (next_class != model.classes.size()) throw Error("a class is missing");
      return model;
    }
    if (next_class < model.classes.size() && line == class_line(model.classes[next_class])) {
      into = &model.classes[next_class++].coefficients;
      continue;
    }
    try {
      if (into == nullptr) throw Error("a class was expected");
      into->push_back(read_coefficient(line, model, named, *into));
    } catch (const Error& error) {
      throw Error(fmt::format("line {}: {}", lines.number(), error.what()));
    }
  }
}

Model Model::from_bytes(std::string_view bytes) {
  try {
    return parse_model(bytes);
  } catch (const Error& error) {
    throw Error(fmt::format("model in memory: {}", error.what()));
  }
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
