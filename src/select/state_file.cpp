#include "select/state_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "data/feed/feature_scales.hpp"
#include "data/names/vocabulary.hpp"
#include "solvers/catalog.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "train/record.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

// FNV-1a, its bits mixed.
std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", mix(hash));
}

// A file is known by its name, its size and when it was written; a pipe has only a name.
Json file_identity(const std::string& path) {
  Json json = Json::object();
  json["name"] = path;
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return json;
  json["size"] = std::filesystem::file_size(path, none);
  json["time"] = std::filesystem::last_write_time(path, none).time_since_epoch().count();
  return json;
}

Json data_identity(const RowSource& source) {
  Json json = file_identity(source.name());
  if (const Survey* survey = source.survey()) {
    json["survey"] = {survey->rows, survey->bad_rows, survey->bytes, survey->dimension};
    for (const LabelCount& count : survey->labels) {
      json["labels"].push_back({count.label, count.rows});
    }
  }
  return json;
}

FeatureScale scale_of(const Problem& problem) {
  if (problem.scales) return problem.scales->kind();
  return problem.never_scale ? FeatureScale::none : FeatureScale::automatic;
}

std::string header_of(const Problem& problem) {
  Json data = Json::object();
  data["version"] = THRESH_VERSION;
  data["train"] = data_identity(*problem.train);
  if (problem.valid) data["valid"] = data_identity(*problem.valid);
  if (problem.format != Format::libsvm) data["format"] = name_of(problem.format);
  if (problem.vocabulary) data["reading"] = problem.vocabulary->reading.json();
  if (!problem.interactions.empty()) data["interactions"] = problem.interactions;
  data["zero_based"] = problem.zero_based;
  data["normalize_l2"] = problem.normalize_l2;
  data["scale"] = name_of(scale_of(problem));
  Json header = Json::object();
  header["thresh"] = "trials";
  header["data"] = problem.train->name();
  // In plain words, since these are what a user changes most.
  header["scale"] = name_of(scale_of(problem));
  header["normalize"] = problem.normalize_l2 ? "l2" : "none";
  header["key"] = hash_of(data.dump());
  return header.dump();
}

// All that decides what comes of a trial.
std::string key_of(const Candidate& run) {
  const Options& options = run.options;
  Json json = options_record(options);
  json["intercept"] = options.intercept;
  json["task"] = static_cast<int>(options.task);
  json["positive"] = options.positive ? Json(*options.positive) : Json(nullptr);
  if (!options.positive_name.empty()) json["positive_name"] = options.positive_name;
  json["dim"] = options.dim;
  if (!options.weights_file.empty()) json["weights"] = file_identity(options.weights_file);
  if (!options.feature_labels_file.empty()) {
    json["feature_labels"] = file_identity(options.feature_labels_file);
  }
  for (const OptionInfo& option : find_solver(options.solver).info.options) {
    if (option.kind != OptionInfo::Kind::file || !options.solver_options.contains(option.name))
      continue;
    json[option.name] = file_identity(options.solver_options.at(option.name));
  }
  if (const ErrorKind kind = error_kind(options); kind > ErrorKind::rmse || options.by_rmse) {
    json["error"] = name_of(kind);
  }
  // The other two come to the same here, see hold_out_by_options().
  if (options.on_divergence == OnDivergence::proceed) {
    json["on_divergence"] = name_of(options.on_divergence);
  }
  if (run.scale) json["scale"] = name_of(*run.scale);
  return hash_of(json.dump());
}

Json to_json(const Trial& trial) {
  Json json = Json::object();
  if (!trial.warnings.empty()) json["warnings"] = trial.warnings;
  if (!trial.failure.empty()) {
    json["failure"] = trial.failure;
    return json;
  }
  json["error"] = trial.error;
  json["error_se"] = trial.error_se;
  json["loss"] = trial.loss;
  json["rows"] = trial.rows;
  json["nonzeros"] = trial.nonzeros;
  return json;
}

Trial to_trial(const Json& json) {
  Trial trial;
  trial.warnings = json.value("warnings", trial.warnings);
  if (json.contains("failure")) {
    trial.failure = json.at("failure");
    return trial;
  }
  trial.error = json.at("error");
  trial.error_se = json.at("error_se");
  trial.loss = json.at("loss");
  trial.rows = json.at("rows");
  trial.nonzeros = json.at("nonzeros");
  return trial;
}

// Why trials under the header `then` are of no use under the header `now`.
std::string difference(const Json& then, const Json& now) {
  for (const char* option : {"scale", "normalize"}) {
    const std::string before = then.value(option, "none");
    const auto wanted = now.at(option).get<std::string>();
    if (before == wanted) continue;
    return fmt::format("its trials used --{} {}, not {}", option, before, wanted);
  }
  return fmt::format("its trials are from other data or another version, not from the current {}",
                     now.at("data").get<std::string>());
}

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

StateFile::StateFile(std::string path, const Problem& problem) : path_(std::move(path)) {
  const std::string header = header_of(problem);
  std::error_code unknown;  // of what cannot be looked at: writing it will tell
  if (std::filesystem::exists(path_, unknown)) read(read_all(path_), header);
  AtomicFile whole(path_);
  whole.write(lines_.empty() ? header + "\n" : lines_);
  whole.commit();
  file_.emplace(path_, LogFile::Start::at_end);
}

void StateFile::read(const std::string& text, const std::string& header) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) {
      if (number == 0 && !header.starts_with(text)) throw Error(path_ + ": not a file of trials");
      return;
    }
    const std::string line = text.substr(at, end - at);
    const Json json = Json::parse(line, nullptr, false);
    if (number == 0 && line != header) {
      const bool ours = json.is_object() && json.value("thresh", "") == "trials";
      throw Error(path_ + ": " +
                  (ours ? difference(json, Json::parse(header)) + "; choose another --state"
                        : "not a file of trials"));
    }
    if (number > 0) {
      try {
        trials_[json.at("key")] = to_trial(json);
      } catch (const Json::exception&) {
        throw Error(fmt::format("{}:{}: not a trial", path_, number + 1));
      }
    }
    at = end + 1;
    lines_ = text.substr(0, at);
  }
}

std::optional<Trial> StateFile::find(const Candidate& run) const {
  const auto found = trials_.find(key_of(run));
  if (found == trials_.end()) return std::nullopt;
  return found->second;
}

void StateFile::add(const Candidate& run, const Trial& trial) {
  Json json = Json::object();
  json["key"] = key_of(run);
  for (const auto& [name, value] : run.settings) json["settings"][name] = value;
  if (run.options.folds > 0) json["fold"] = run.options.fold;
  json.update(to_json(trial));
  file_->write(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace thresh
