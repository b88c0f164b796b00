// Builds the document from files of any kind, recognised by content and not by name.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include "data/read/bytes.hpp"
#include "model/model_file.hpp"
#include "report/sections.hpp"
#include "thresh/error.hpp"
#include "thresh/report.hpp"

namespace thresh {
namespace report {
namespace {

constexpr const char* kUnknown =
    "not something a report can show (it accepts models, traces, the JSON of train, frontier, "
    "tune, cv, path, eval and diagnose, and experiments)";

constexpr const char* kBlank = " \t\r\n";

// Stops reading a file that is neither JSON nor a model: it may be huge data.
bool may_be_ours(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return true;
  text.remove_prefix(first);
  const std::string_view head = text.substr(0, kMagic.size());
  return text[0] == '{' || text[0] == '[' || kMagic.starts_with(head);
}

std::string read_text(const std::string& file) {
  const std::unique_ptr<ByteStream> bytes = open_bytes(file);
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t got = bytes->read(buffer, sizeof buffer)) {
    text.append(buffer, got);
    if (!may_be_ours(text)) throw Error(kUnknown);
  }
  if (text.find_first_not_of(kBlank) == std::string::npos) throw Error("is empty");
  return text;
}

Json parse(std::string_view text) {
  constexpr int kDeepest = 64;  // dump() recurses
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kDeepest) throw Error("is nested too deeply");
    return true;
  });
}

// The line of the first JSON error.
std::size_t broken_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(kBlank) + 1);
  try {
    parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + std::min(error.byte - 1, text.size());
    return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
  }
  return 1;
}

// Parses a JSON document, or one document per line into a list.
Json parse_or_lines(std::string_view text, const std::string& file) {
  if (text.find_first_of("{[") != text.find_first_not_of(kBlank)) throw Error(kUnknown);
  if (Json::accept(text)) return parse(text);
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (!Json::accept(text.substr(begin, text.find('\n', begin) - begin))) {
    throw Error(fmt::format("{}:{}: not JSON", file, broken_line(text)));
  }
  Json lines = Json::array();
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find_first_not_of(kBlank) == std::string_view::npos) continue;
    if (!Json::accept(line)) throw Error(fmt::format("{}:{}: not JSON", file, number));
    lines.push_back(parse(line));
  }
  return lines;
}

bool has(const Json& json, const char* a, const char* b) {
  return json.is_object() && json.contains(a) && json.contains(b);
}

bool is_finding(const Json& json) {
  return has(json, "text", "value");
}

bool is_diagnosis(const Json& json) {
  if (json.contains("sections")) return true;
  if (!json.is_structured() || json.empty()) return false;
  return std::all_of(json.begin(), json.end(), [&](const Json& part) {
    if (json.is_array()) return part.contains("findings");
    return part.is_object() && std::all_of(part.begin(), part.end(), is_finding);
  });
}

// Recognises a kind by a field that no other kind has.
std::string kind_of(const Json& json) {
  const Json& first = json.is_array() && !json.empty() ? json[0] : json;
  if (first.is_object() && first.value("thresh", Json()) == "trials") return "trials";
  for (const char* kind : {"experiment", "report"}) {
    if (!json.is_object() || json.value("kind", Json()) != kind) continue;
    if (!json.contains("title")) throw Error(fmt::format("{}s need a title", kind));
    return kind;
  }
  if (has(json, "status", "trace") || has(json, "frontier", "chosen")) return "run";
  if (has(json, "candidates", "search")) return "tune";
  if (has(json, "folds", "error")) return "cv";
  if (has(json, "models", "over")) return "path";
  if (has(json, "solvers", "splits") || has(first, "features", "valid_error")) return "frontier";
  if (has(json, "rows", "confusion") || has(json, "rows", "rmse")) return "eval";
  if (has(first, "data_accesses", "density")) return "trace";
  if (is_diagnosis(json)) return "diagnosis";
  throw Error(kUnknown);
}

// Leaves the experiment's own facts in place and adds its other fields as facts.
Json experiment_section(const Json& experiment) {
  Json result = section("experiment", "");
  result.update(experiment);
  result["kind"] = "experiment";
  for (const char* key : {"thresh", "options", "version"}) {
    if (!experiment.contains(key)) continue;
    add_facts(result, {{key, experiment[key]}});
    result.erase(key);
  }
  check_section(result);
  return result;
}

class Document {
 public:
  void add(const std::string& file) {
    const std::string text = read_text(file);
    const std::string name = file == "-" ? "standard input" : file;
    std::string kind = "model";
    if (text.starts_with(kMagic)) {
      const Model model = parse_model(text);
      sections_.push_back(model_section(name, model));
      experts_.push_back(expert_section(name, model));
    } else {
      Json content = parse_or_lines(text, file);
      kind = kind_of(content);
      add(name, kind, std::move(content));
    }
    files_.push_back({{"name", name}, {"kind", kind}, {"bytes", text.size()}});
  }

  Json finish(const std::string& title) {
    if (!traces_.empty()) sections_[trace_place_] = trace_section(traces_);
    Json document = Json::object();
    document["kind"] = "report";
    document["title"] = title.empty() ? made_up_title() : title;
    document["thresh"] = {{"version", THRESH_VERSION}};
    document["files"] = std::move(files_);
    for (Json& section : experts_) sections_.push_back(std::move(section));
    document["sections"] = std::move(sections_);
    return document;
  }

  void add(const ModelResults& results) {
    const Json metrics = parse(results.evaluation), uses = parse(results.explanation);
    sections_.push_back(answer_section(results, metrics));
    sections_.push_back(eval_section(results.data_file, metrics));
    sections_.push_back(uses_section(results.data_file, uses));
    Json weights = model_section(results.model_file, results.model);
    weights["figures"] = Json::array();  // they are part of the answer
    sections_.push_back(std::move(weights));
    experts_.push_back(expert_section(results.model_file, results.model));
    files_.push_back({{"name", results.model_file}, {"kind", "model"}, {"bytes", nullptr}});
    files_.push_back({{"name", results.data_file}, {"kind", "data"}, {"bytes", nullptr}});
  }

 private:
  void add(const std::string& name, const std::string& kind, Json content) {
    const bool lines =
        kind == "trace" || kind == "trials" || (kind == "frontier" && !content.contains("solvers"));
    if (lines && content.is_object()) content = Json::array({content});  // a single line
    if (kind == "trace") return add_trace(name, std::move(content));
    if (kind == "report") {
      for (const Json& section : content.at("sections")) {
        check_section(section);
        sections_.push_back(section);
      }
      return;
    }
    sections_.push_back(kind == "experiment" ? experiment_section(content)
                        : kind == "run"      ? run_section(name, content)
                        : kind == "tune"     ? tune_section(name, content)
                        : kind == "trials"   ? trials_section(name, content)
                        : kind == "cv"       ? cv_section(name, content)
                        : kind == "path"     ? path_section(name, content)
                        : kind == "frontier" ? frontier_section(name, content)
                        : kind == "eval"     ? eval_section(name, content)
                                             : diagnosis_section(name, content));
  }

  // All traces share figures, at the position of the first trace.
  void add_trace(const std::string& name, Json content) {
    if (traces_.empty()) {
      trace_place_ = sections_.size();
      sections_.push_back(nullptr);
    }
    traces_.push_back({name, std::move(content)});
    trace_section({traces_.back()});  // reports an invalid trace under its own name
  }

  std::string made_up_title() const {
    return sections_.size() == 1 ? sections_[0]["title"].get<std::string>() : "thresh report";
  }

  Json sections_ = Json::array();
  Json experts_ = Json::array();  // sections for the end of the page
  Json files_ = Json::array();
  std::vector<Points> traces_;
  std::size_t trace_place_ = 0;
};

}  // namespace
}  // namespace report

bool may_be_result(const std::string& file) {
  std::error_code ignored;  // reading it reports what is wrong
  if (std::filesystem::is_directory(file, ignored)) return false;
  const std::unique_ptr<ByteStream> bytes = open_bytes(file);
  char head[64];
  return report::may_be_ours({head, bytes->read(head, sizeof head)});
}

std::string report_document(const ModelResults& results, const std::string& title) {
  report::Document document;
  document.add(results);
  return document.finish(title.empty() ? results.model_file + " on " + results.data_file : title)
             .dump(-1, ' ', false, report::Json::error_handler_t::replace) +
         "\n";
}

std::string report_document(const std::vector<std::string>& files, const std::string& title) {
  report::Document document;
  for (const std::string& file : files) {
    try {
      document.add(file);
    } catch (const nlohmann::json::exception& error) {
      throw Error(fmt::format("{}: not in the form that thresh writes ({})", file, error.what()));
    } catch (const Error& error) {
      const std::string what = error.what();
      throw Error(what.starts_with(file + ":") ? what : fmt::format("{}: {}", file, what));
    }
  }
  // Names may be in any encoding; JSON is UTF-8.
  return document.finish(title).dump(-1, ' ', false, report::Json::error_handler_t::replace) + "\n";
}

}  // namespace thresh
