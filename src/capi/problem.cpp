#include "capi/problem.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "capi/weighted_rows.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"

namespace thresh::capi {
namespace {

MemoryOptions memory_options(const Parsed& settings) {
  return {true, settings.read.normalize_l2, settings.read.scale};
}

}  // namespace

void check_settings(const Parsed& settings, Format format) {
  for (const OptionInfo& option : reading_options()) {
    if (!settings.read.table.texts.empty()) return;
    if (option.group == "Text" && format != Format::text && settings.has(option.name)) {
      throw UsageError(fmt::format("--{} applies only to texts", option.name));
    }
  }
}

namespace {

// The rows of arrays have no file to say these things about.
void check_for_arrays(const Parsed& settings) {
  check_settings(settings, Format::libsvm);
  for (const char* name : {"format", "dim", "zero-based", "allow-unsorted", "on-bad-row", "cache",
                           "header", "delimiter", "hash-bits"}) {
    if (settings.has(name)) {
      throw UsageError(fmt::format("--{} applies to files, not to arrays", name));
    }
  }
  for (const OptionInfo& option : reading_options()) {
    if (option.group == "Table" && settings.has(option.name)) {
      throw UsageError(fmt::format("--{} applies to tables, not to arrays", option.name));
    }
  }
}

// The number of a column with this name; the name itself if there is none.
std::string column_number(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? name : std::to_string(found - names.begin());
}

// A:B with the numbers of columns.
std::vector<std::string> products_by_number(const MatrixData& data,
                                            const std::vector<std::string>& asked) {
  std::vector<std::string> products;
  for (const std::string& product : asked) {
    const std::size_t colon = product.find(':');
    if (colon == std::string::npos) {
      products.push_back(product);  // refused in words
      continue;
    }
    products.push_back(column_number(data.feature_names, product.substr(0, colon)) + ":" +
                       column_number(data.feature_names, product.substr(colon + 1)));
  }
  return products;
}

// Names of columns that must stay, as numbers.
void find_kept(const MatrixData& data, Options& options) {
  for (const std::string& name : options.keep_names) {
    const auto found = std::find(data.feature_names.begin(), data.feature_names.end(), name);
    if (found == data.feature_names.end()) {
      throw UsageError(fmt::format("--keep {}: no column has this name", name));
    }
    options.keep.push_back(static_cast<std::uint64_t>(found - data.feature_names.begin()));
  }
  options.keep_names.clear();
  // Of --signs, which may have numbers, too.
  for (std::string& rule : options.signs) {
    rule = rule[0] + column_number(data.feature_names, rule.substr(1));
  }
}

Problem open_matrix(const MatrixData& data, const thresh_data* valid, Parsed& settings) {
  check_for_arrays(settings);
  find_kept(data, settings.options);
  const MatrixView* valid_view = nullptr;
  if (valid != nullptr) {
    const auto* const other = std::get_if<MatrixData>(&valid->content);
    if (other == nullptr) throw UsageError("rows to validate on must be arrays, too");
    valid_view = &other->view;
    if (valid_view->columns != data.view.columns) {
      throw UsageError(fmt::format("rows to validate on have {} columns, those to learn from {}",
                                   valid_view->columns, data.view.columns));
    }
  }
  return matrix_problem(data.view, memory_options(settings), valid_view,
                        products_by_number(data, settings.read.interactions));
}

Problem open_path(const Path& data, const thresh_data* valid, Parsed& settings, bool once) {
  std::string valid_path;
  if (valid != nullptr) {
    const auto* const other = std::get_if<Path>(&valid->content);
    if (other == nullptr) throw UsageError("rows to validate on must be a file, too");
    valid_path = other->path;
  }
  ReadOptions& read = settings.read;
  check_settings(settings, format_of(data.path, read.format));
  const bool scales = read.scale == FeatureScale::max || read.scale == FeatureScale::rms;
  read.once = once && !is_plain_file(data.path) && one_look_is_enough(settings.options) &&
              !settings.certify && !scales;
  return open_problem(data.path, valid_path, read);
}

Problem open_table(const MemoryTable& data, const thresh_data* valid, Parsed& settings) {
  const auto* const other = valid != nullptr ? std::get_if<MemoryTable>(&valid->content) : nullptr;
  if (valid != nullptr && other == nullptr) {
    throw UsageError("rows to validate on must be a table, too");
  }
  read_as_table(data, settings);
  return table_problem(data, settings.read, other);
}

Problem open_batches(const Batches& batches, const thresh_data* valid, Parsed& settings) {
  if (valid != nullptr) throw UsageError("batches cannot be validated on other rows");
  check_for_arrays(settings);
  if (settings.has("interactions")) {
    throw UsageError("--interactions applies to files, tables and arrays, not to batches");
  }
  return batch_problem(next_batch(batches), memory_options(settings));
}

Problem open_texts(const Texts& texts, const thresh_data* valid, Parsed& settings) {
  const auto* const other = valid != nullptr ? std::get_if<Texts>(&valid->content) : nullptr;
  if (valid != nullptr && other == nullptr) {
    throw UsageError("rows to validate on must be texts, too");
  }
  if (texts.lines.empty()) throw UsageError("texts to learn from need labels");
  settings.read.format = Format::text;
  settings.read.cache = ReadOptions::Cache::none;
  const TextFile file(texts.lines);
  std::optional<TextFile> second;
  if (other != nullptr) second.emplace(other->lines);
  Problem problem = open_problem(file.path(), second ? second->path() : "", settings.read);
  problem.train = weighted_rows(problem.train, texts.weights);
  if (other != nullptr) problem.valid = weighted_rows(problem.valid, other->weights);
  return problem;
}

}  // namespace

namespace {

bool has_role(const TableOptions& table, const std::string& name) {
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return among(table.categorical) || among(table.numeric) || among(table.ignore) ||
         among(table.dates) || among(table.texts) ||
         among({table.label, table.id, table.weight, table.group, table.time});
}

}  // namespace

void read_as_table(const MemoryTable& data, Parsed& settings) {
  check_settings(settings, Format::csv);
  for (const char* name : {"format", "header", "delimiter", "cache"}) {
    if (settings.has(name)) throw UsageError(fmt::format("--{} applies only to files", name));
  }
  TableOptions& table = settings.read.table;
  const auto add = [](const char* option, const std::string& column, std::string& role) {
    if (column.empty()) return;
    if (!role.empty()) {
      throw UsageError(fmt::format("--{} {}: they are given beside the table", option, role));
    }
    role = column;
  };
  add("label", data.label, table.label);
  add("weight", data.weight, table.weight);
  for (const std::string& name : data.categories) {
    if (!table.label.empty() && !has_role(table, name)) table.categorical.push_back(name);
  }
  settings.read.name = "table";
  settings.read.format = Format::csv;
  settings.read.cache = ReadOptions::Cache::none;
}

TextFile::TextFile(const std::string& lines) : fd_(memfd_create("texts", MFD_CLOEXEC)) {
  const std::error_code error = fd_ < 0 ? std::error_code(errno, std::generic_category())
                                        : write_all(fd_, lines.data(), lines.size());
  if (!error) return;
  if (fd_ >= 0) close(fd_);
  throw Error(fmt::format("texts: {}", error.message()));
}
TextFile::~TextFile() {
  close(fd_);
}
std::string TextFile::path() const {
  return fmt::format("/proc/self/fd/{}", fd_);
}

namespace {

Problem open_any(const thresh_data& data, const thresh_data* valid, Parsed& settings, bool once) {
  if (const auto* matrix = std::get_if<MatrixData>(&data.content)) {
    return open_matrix(*matrix, valid, settings);
  }
  if (const auto* path = std::get_if<Path>(&data.content)) {
    return open_path(*path, valid, settings, once);
  }
  if (const auto* batches = std::get_if<Batches>(&data.content)) {
    return open_batches(*batches, valid, settings);
  }
  if (const auto* table = std::get_if<MemoryTable>(&data.content)) {
    return open_table(*table, valid, settings);
  }
  return open_texts(std::get<Texts>(data.content), valid, settings);
}

}  // namespace

Problem open(const thresh_data& data, const thresh_data* valid, Parsed& settings, bool once) {
  Problem problem = open_any(data, valid, settings, once);
  problem.partial = settings.partial;
  return problem;
}

NextBatch next_batch(const Batches& batches) {
  return [batches, memory = std::make_shared<thresh_matrix>()]() -> std::optional<MatrixView> {
    thresh_matrix& batch = *memory;
    batch = {};
    batch.size = sizeof batch;
    const int more = batches.next(batches.context, &batch);
    if (more == 0) return std::nullopt;
    if (more != 1) throw Error("the function that gives batches has failed");
    return view_of(batch);
  };
}

void name_features(const thresh_data& data, Model& model) {
  const auto* const matrix = std::get_if<MatrixData>(&data.content);
  if (matrix == nullptr || matrix->feature_names.empty()) return;
  for (FeaturePair& pair : model.pairs) {
    pair.first_name = matrix->feature_names.at(pair.first);
    pair.second_name = matrix->feature_names.at(pair.second);
  }
  const auto name = [&](std::vector<Coefficient>& coefficients) {
    for (Coefficient& coefficient : coefficients) {
      const FeaturePair* const pair = model.pair(coefficient.index);
      coefficient.name = pair != nullptr ? pair->first_name + "*" + pair->second_name
                                         : matrix->feature_names.at(coefficient.index);
      if (coefficient.name.find_first_of("\t\n\r") != std::string::npos) {
        throw UsageError(
            fmt::format("the name of column {} contains a tab or a line end", coefficient.index));
      }
    }
  };
  name(model.coefficients);
  for (ClassPart& part : model.classes) name(part.coefficients);
}

bool RunWatch::wants_progress(const Progress&) const {
  if (call_ == nullptr || call_->on_progress == nullptr) return false;
  const std::lock_guard lock(call_->mutex);
  return std::chrono::steady_clock::now() - call_->last >= std::chrono::milliseconds(100);
}

// The end of a run is told whether or not it is wanted.
void RunWatch::on_progress(const Progress& at) {
  if (call_ == nullptr) return;
  const double share = at.expected_examples == 0 ? -1
                                                 : static_cast<double>(at.examples) /
                                                       static_cast<double>(at.expected_examples);
  call_->show({"learning", std::min(share, 1.0), at.examples, at.pass, at.nonzeros});
}

}  // namespace thresh::capi
