// Reading the model file; model_file.cpp describes it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "data/read/bytes.hpp"
#include "data/read/number.hpp"
#include "data/read/utf8.hpp"
#include "model/model_file.hpp"
#include "sparse/feature_map.hpp"
#include "text/text_format.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

double finite(const Value& value) {
  const double number = value.number();
  if (!std::isfinite(number)) throw Error("a number is not finite");
  return number;
}

// Whether a word of the header is the first of two. A third may come from a later version and mean
// something.
bool is_first(const Record& header, const char* key, std::string_view first,
              std::string_view second) {
  const std::string& word = header.at(key).text();
  if (word != first && word != second) throw Error(fmt::format("unknown {} in the header", key));
  return word == first;
}

// Labels, intercepts and link of more than two classes.
void read_classes(const Record& header, Model& model) {
  const Value::List& labels = header.at("labels").list();
  if (labels.size() < 3) throw Error("the header is damaged");
  for (const Value& label : labels) {
    ClassPart part{finite(label), 0, {}};
    if (!model.classes.empty() && model.classes.back().label >= part.label) {
      throw Error("the labels in the header do not ascend");
    }
    model.classes.push_back(std::move(part));
  }
  if (model.has_intercept) {
    const Value::List& intercepts = header.at("intercept").list();
    if (intercepts.size() != labels.size()) throw Error("the header is damaged");
    for (std::size_t c = 0; c < labels.size(); ++c) {
      model.classes[c].intercept = finite(intercepts[c]);
    }
  }
  const auto found =
      std::find(std::begin(kLinkNames), std::end(kLinkNames), header.at("class_link").text());
  if (found == std::end(kLinkNames)) throw Error("unknown class_link in the header");
  model.class_link = static_cast<ClassLink>(found - std::begin(kLinkNames));
}

// What models of data with names have beyond the others.
void read_naming(const Record& header, Model& model) {
  model.label_names = header.at("label_names").texts();
  const auto format = format_named(header.at("format").text());
  if (!format) throw Error("unknown format in the header");
  model.format = *format;
  model.reading = header.at("reading").record();
}

void read_pairs(const Record& header, Model& model) {
  model.interactions = header.at("interactions").texts();
  for (const Value& each : header.at("pairs").list()) {
    const Value::List& fields = each.list();
    if (fields.size() != 3 && fields.size() != 5) throw Error("the header is damaged");
    const bool named = fields.size() == 5;
    model.pairs.push_back({fields[0].count(), fields[1].count(), fields[2].count(),
                           named ? fields[3].text() : "", named ? fields[4].text() : ""});
  }
  if (!pairs_are_sound(model)) throw Error("the header is damaged");
}

void read_header(const Record& header, bool many_classes, Model& model) {
  const bool classes = is_first(header, "task", "classification", "regression");
  model.task = classes ? Task::classification : Task::regression;
  if (header.has("link")) {
    model.log_link = header.at("link").text() == "log";
    if (!model.log_link || classes) throw Error("unknown link in the header");
  }
  model.solver = header.at("solver").text();
  if (classes && !many_classes) {
    const Value::List& labels = header.at("labels").list();
    if (labels.size() < 2) throw Error("the header is damaged");
    model.negative_label = finite(labels[0]);
    model.positive_label = finite(labels[1]);
  }
  model.dimension = header.at("dimension").count();
  if (model.dimension > FeatureMap::kMaxIndex) throw Error("the dimension is above 2^40");
  model.zero_based = header.at("zero_based").flag();
  model.normalize_l2 = is_first(header, "normalize", "l2", "none");
  model.has_intercept = !header.at("intercept").is_null();
  if (many_classes) {
    read_classes(header, model);
  } else {
    model.intercept = model.has_intercept ? finite(header.at("intercept")) : 0;
  }
  if (header.has("calibration")) {
    const Record& calibration = header.at("calibration").record();
    model.calibration =
        Calibration{finite(calibration.at("slope")), finite(calibration.at("offset"))};
  }
  if (header.has("threshold")) {
    const Record& threshold = header.at("threshold").record();
    model.threshold = Threshold{finite(threshold.at("margin")), threshold.at("by").text()};
    if (!two_classes(model)) throw Error("the header is damaged");
  }
  if (!labels_have_names(model)) throw Error("the header is damaged");
  if (header.has("interactions")) read_pairs(header, model);
  model.options = header.at("options").record();
  model.summary = header.at("summary").record();
  if (header.has("certificate")) model.certificate = header.at("certificate").record();
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
std::shared_ptr<const TextVectorizer> read_terms(Lines& lines, const Record& how,
                                                 std::uint64_t dimension) {
  VectorizerReader reader(how, dimension);
  try {
    reader.read_terms([&] { return lines.next(); });
  } catch (const Error& error) {
    throw Error(fmt::format("line {}: {}", lines.number(), error.what()));
  }
  return reader.finish();
}

void read_column_texts(Lines& lines, Model& model) {
  if (!model.reading.has("texts")) return;
  for (const auto& [column, how] : model.reading.at("texts").record()) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
    const auto text = read_terms(lines, how.record(), kMost);
    const TermList& terms = text->terms();
    // Terms are found by their number.
    if (terms.size() == 0 || terms.features.back() + std::uint64_t{1} != terms.size()) {
      throw Error("a text column has no terms, or terms with wrong numbers");
    }
    model.column_texts[column] = text;
  }
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
  const bool named = has_names(version);
  bool many_classes = version == kManyClasses;
  if (version != kTwoClasses && !many_classes && !named) {
    throw Error(fmt::format("model format {} is not known to this program",
                            printable(version.substr(0, 20))));
  }
  Model model;
  try {
    const Record header = Record::parse(lines.next());
    if (named) {
      read_naming(header, model);
      many_classes = header.has("class_link");
    }
    read_header(header, many_classes, model);
    if (model.format == Format::text)
      model.text = read_terms(lines, model.reading, model.dimension);
    if (version == kColumns) read_column_texts(lines, model);
  } catch (const RecordError&) {
    throw Error("the header is damaged");
  }
  std::vector<Coefficient>* into = many_classes ? nullptr : &model.coefficients;
  for (std::size_t next_class = 0;;) {
    const std::string_view line = lines.next();
    if (line.starts_with("end ")) {
      const std::string expected =
          fmt::format("end {} crc32 {:08x}", model.nonzeros(), lines.sum_before());
      if (line != expected || !lines.done())
        throw Error("the checksum does not match: the file was altered");
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
