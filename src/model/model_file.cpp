// The model file. Text, so that it can be read, compared and mended by hand:
//
//     thresh-model 1
//     {"task":"classification", ...}              one line of JSON
//     INDEX<TAB>WEIGHT[<TAB>NAME]                 one line a non-zero, ascending, %.17g
//     end COUNT crc32 HEX                         over every byte before this line
//
// With more than two classes it is "thresh-model 2", and a line "class LABEL" stands before the
// non-zeros of each class. Models of data in which features have names are "thresh-model 3": the
// header also has format, label_names and reading, and names are escaped. Those of texts have a
// list of terms before all weights, see write_terms(). "thresh-model 5" has packed terms or a
// threshold. "thresh-model 6" has a list of terms for each text column of a table, or
// pairs in its header.
//
// docs/formats.md describes it for users.

#include "model/model_file.hpp"

#include <charconv>
#include <cmath>

#include "sparse/feature_map.hpp"
#include "text/text_format.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

Value::List pairs_of(const Model& model) {
  Value::List pairs;
  for (const FeaturePair& pair : model.pairs) {
    Value::List fields{pair.index, pair.first, pair.second};
    if (!pair.first_name.empty()) {
      fields.emplace_back(pair.first_name);
      fields.emplace_back(pair.second_name);
    }
    pairs.emplace_back(std::move(fields));
  }
  return pairs;
}

Record header_of(const Model& model) {
  std::vector<double> intercepts;
  for (const ClassPart& part : model.classes) intercepts.push_back(part.intercept);
  Record header;
  header["task"] = model.task == Task::classification ? "classification" : "regression";
  if (model.log_link) header["link"] = "log";
  header["solver"] = model.solver;
  if (!model.classes.empty()) {
    header["labels"] = model.class_labels();
    header["class_link"] = kLinkNames[static_cast<std::size_t>(model.class_link)];
  } else if (model.task == Task::classification) {
    header["labels"] = Value::List{model.negative_label, model.positive_label};
  }
  if (has_names(version_of(model))) {
    header["label_names"] = model.label_names;
    header["format"] = name_of(model.format);
    header["reading"] = model.reading;
  }
  header["dimension"] = model.dimension;
  header["zero_based"] = model.zero_based;
  header["normalize"] = model.normalize_l2 ? "l2" : "none";
  header["intercept"] = nullptr;
  if (model.has_intercept) {
    header["intercept"] = model.classes.empty() ? Value(model.intercept) : Value(intercepts);
  }
  if (model.calibration) {
    Record calibration;
    calibration["slope"] = model.calibration->slope;
    calibration["offset"] = model.calibration->offset;
    header["calibration"] = calibration;
  }
  if (model.threshold) {
    Record threshold;
    threshold["margin"] = model.threshold->margin;
    threshold["by"] = model.threshold->by;
    header["threshold"] = threshold;
  }
  if (!model.interactions.empty()) {
    header["interactions"] = model.interactions;
    header["pairs"] = pairs_of(model);
  }
  header["options"] = model.options;
  header["summary"] = model.summary;
  if (model.certificate) header["certificate"] = *model.certificate;
  return header;
}

// Whatever load() would refuse must not be saved: it would be found out too late.
[[noreturn]] void refuse(std::string_view why) {
  throw Error(fmt::format("the model cannot be saved: {}", why));
}

void check_coefficients(const Model& model, const std::vector<Coefficient>& coefficients) {
  const bool escapes = has_names(version_of(model));
  const std::uint64_t first = model.zero_based ? 0 : 1;
  std::uint64_t least = first;
  for (const Coefficient& coefficient : coefficients) {
    const std::uint64_t index = coefficient.index;
    if (index < least || index - first >= model.dimension) {
      refuse(fmt::format("feature index {} is out of order or out of range", index));
    }
    if (!std::isfinite(coefficient.weight) || coefficient.weight == 0) {
      refuse(fmt::format("the weight of feature {} is {}", index, coefficient.weight));
    }
    if (!escapes && coefficient.name.find('\n') != std::string::npos) {
      refuse(fmt::format("the name of feature {} has a line feed", index));
    }
    least = index + 1;
  }
}

// What "{}\t{:.17g}" gives, in half the time: a pass over text ends in a few 100,000 of these.
void append_coefficient(const Coefficient& coefficient, bool escape, std::string& text) {
  char line[64];
  char* p = std::to_chars(line, std::end(line), coefficient.index).ptr;
  *p++ = '\t';
  p = std::to_chars(p, std::end(line), coefficient.weight, std::chars_format::general, 17).ptr;
  text.append(line, p);
  if (!coefficient.name.empty()) {
    text.append("\t").append(escape ? escaped(coefficient.name) : coefficient.name);
  }
  text += '\n';
}

void check_label_names(const Model& model) {
  if (!labels_have_names(model)) refuse("its label names are not those of its labels");
}

}  // namespace

bool has_terms(const Model& model) {
  return model.text != nullptr && model.text->terms().size() > 0;
}

Record model_header(const Model& model) {
  bool finite = std::isfinite(model.intercept);
  if (model.task == Task::classification) {
    finite &= std::isfinite(model.negative_label) && std::isfinite(model.positive_label);
  }
  if (model.calibration) {
    finite &= std::isfinite(model.calibration->slope) && std::isfinite(model.calibration->offset);
  }
  if (model.threshold) finite &= std::isfinite(model.threshold->margin);
  for (const ClassPart& part : model.classes) {
    finite &= std::isfinite(part.label) && std::isfinite(part.intercept);
  }
  if (!model.classes.empty() && (model.classes.size() < 3 || !model.coefficients.empty())) {
    refuse("two classes have one set of weights");
  }
  if (model.threshold && !two_classes(model)) refuse("only two classes have a threshold");
  check_label_names(model);
  if ((model.format == Format::text) != (model.text != nullptr)) {
    refuse("it does not record how texts become rows");
  }
  if (!pairs_are_sound(model)) refuse("its pairs are not in order");
  if (model.dimension > FeatureMap::kMaxIndex) refuse("its dimension is above 2^40");
  if (!finite) refuse("its intercept, labels, calibration or threshold are not finite");
  return header_of(model);
}

namespace {

std::string header_line(const Model& model) {
  try {
    std::string line = model_header(model).json();
    Record::parse(line);  // throws if a record is nested too deeply to be read
    return line;
  } catch (const RecordError&) {
    refuse("its solver, options, summary, label names or reading cannot be written as JSON");
  }
}

}  // namespace

void write_model(const Model& model, const std::function<void(std::string_view)>& write) {
  const std::string header = header_line(model);
  check_coefficients(model, model.coefficients);
  for (const ClassPart& part : model.classes) check_coefficients(model, part.coefficients);
  std::uint32_t sum = crc(0, "");
  const bool escape = has_names(version_of(model));
  std::string text = fmt::format("{}{}\n{}\n", kMagic, version_of(model), header);
  const auto flush = [&] {
    sum = crc(sum, text);
    write(text);
    text.clear();
  };
  const auto add = [&](const std::vector<Coefficient>& coefficients) {
    for (const Coefficient& coefficient : coefficients) {
      append_coefficient(coefficient, escape, text);
      if (text.size() > (std::size_t{1} << 16)) flush();
    }
  };
  for (const auto& [column, words] : model.column_texts) {
    write_terms(words->terms(), [&](std::string_view line) { text += line; });
    flush();
  }
  if (model.text) {
    write_terms(model.text->terms(), [&](std::string_view line) {
      text += line;
      if (text.size() > (std::size_t{1} << 16)) flush();
    });
  }
  add(model.coefficients);
  for (const ClassPart& part : model.classes) {
    text += class_line(part) + "\n";
    add(part.coefficients);
  }
  flush();
  write(fmt::format("end {} crc32 {:08x}\n", model.nonzeros(), sum));
}

void Model::save(const std::string& path) const {
  AtomicFile file(path);
  write_model(*this, [&](std::string_view piece) { file.write(piece); });
  file.commit();
}

std::string Model::to_bytes() const {
  std::string bytes;
  write_model(*this, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

}  // namespace thresh
