// Rows of any format as libsvm text, and the files that say what the numbers in it stand for.

#include "thresh/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "data/feed/feeder.hpp"
#include "data/names/vocabulary.hpp"
#include "data/open/open_texts.hpp"
#include "data/read/bytes.hpp"
#include "math/elementary.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/parallel.hpp"
#include "text/text_format.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"

namespace thresh {

void visit_rows(const std::shared_ptr<RowSource>& rows,
                const std::function<void(const RowsRead&)>& visit) {
  RowView all;
  all.all_weights = true;
  for_each_window(rows, all, [&](const Window& window) {
    RowsRead read{window.rows, window.source_bytes, {}};
    for (const BlockPtr& block : window.blocks) {
      read.bad_rows += block->bad_rows;
      read.names.insert(read.names.end(), block->names.begin(), block->names.end());
    }
    visit(read);
  });
}

namespace {

auto libsvm_writer(const FeatureMap& features) {
  return [&](const Row& row, std::string& text) {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{}", row.label);
    for (std::size_t i = 0; i < row.size; ++i) {
      fmt::format_to(out, " {}:{}", features.id(row.slots[i]) + 1, row.values[i]);
    }
    text += '\n';
  };
}

// Similarities K(x, s_i) = exp(-|x - s_i|^2 / width) to the rows s_1, s_2, ... of a file: Duchi et
// al., section 7.
class KernelExpansion {
 public:
  KernelExpansion(const std::shared_ptr<RowSource>& support, double width, double smallest)
      : width_(width), smallest_(smallest) {
    visit_rows(support, [&](const RowsRead& read) {
      for (const Row& row : read.rows) add(row);
    });
    if (labels_.empty()) throw Error(support->name() + ": no rows");
  }

  // The labels of s_1, s_2, ...
  const std::vector<double>& labels() const { return labels_; }

  // |x - s|^2 = |x|^2 - 2 <x,s> + |s|^2, the products for all s at once by the columns of x.
  void append(const Row& row, std::string& text) const {
    std::vector<double> products(labels_.size());
    double square = 0;
    for (std::size_t k = 0; k < row.size; ++k) {
      square += row.values[k] * row.values[k];
      if (row.slots[k] >= columns_.size()) continue;
      for (const Entry& entry : columns_[row.slots[k]]) {
        products[entry.support] += row.values[k] * entry.value;
      }
    }
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{}", row.label);
    for (std::size_t i = 0; i < products.size(); ++i) {
      // Rounding must not make a row more similar to another than to itself.
      const double distance = std::max(0.0, square - 2 * products[i] + squares_[i]);
      const double similarity = portable::exp(-distance / width_);
      if (similarity >= smallest_ && similarity > 0) {
        fmt::format_to(out, " {}:{:.9g}", i + 1, similarity);
      }
    }
    text += '\n';
  }

 private:
  struct Entry {
    std::uint32_t support;
    double value;
  };

  void add(const Row& row) {
    double square = 0;
    for (std::size_t k = 0; k < row.size; ++k) {
      if (row.slots[k] >= columns_.size()) columns_.resize(row.slots[k] + std::size_t{1});
      const auto number = static_cast<std::uint32_t>(labels_.size());
      columns_[row.slots[k]].push_back({number, row.values[k]});
      square += row.values[k] * row.values[k];
    }
    labels_.push_back(row.label);
    squares_.push_back(square);
  }

  double width_;
  double smallest_;
  std::vector<double> labels_;
  std::vector<double> squares_;              // |s_i|^2
  std::vector<std::vector<Entry>> columns_;  // by slot
};

// Files that appear together, or not at all.
class Outputs {
 public:
  AtomicFile& open(const std::string& path) {
    return *files_.emplace_back(std::make_unique<AtomicFile>(path));
  }
  void commit() {
    std::vector<AtomicFile*> all;
    for (const auto& file : files_) all.push_back(file.get());
    AtomicFile::commit_together(all);
  }

 private:
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

class RowWriter {
 public:
  RowWriter(const ReadOptions& options, OnText on_text)
      : stop_(options.stop), on_text_(std::move(on_text)) {}

  void tell(const std::string& doing, std::uint64_t bytes) const {
    if (on_text_) on_text_(doing, bytes);
  }
  std::function<void(std::uint64_t)> reading(const std::string& doing) const {
    return [this, doing](std::uint64_t bytes) { tell(doing, bytes); };
  }

  // Writes what `append` makes of each row, a block at a time on each core.
  template <class Append>
  Vectorized::File write(const std::shared_ptr<RowSource>& rows, AtomicFile& file,
                         const std::string& doing, const Append& append) const {
    struct Made {
      std::string text;
      Vectorized::File counts;
      std::uint64_t bytes = 0;
    };
    // Blocks that come only once must be taken one by one; others are read where they are needed.
    const Survey* const survey = rows->survey();
    std::size_t number = 0;
    const auto next = [&]() -> std::optional<std::pair<std::size_t, BlockPtr>> {
      BlockPtr block = survey == nullptr ? rows->block(number) : nullptr;
      if (survey == nullptr ? !block : number == survey->blocks) return std::nullopt;
      return std::pair(number++, std::move(block));
    };
    const auto make = [&](const std::pair<std::size_t, BlockPtr>& job) {
      const BlockPtr block = job.second ? job.second : rows->block(job.first);
      Made made{{}, {0, 0, block->bad_rows}, block->source_bytes};
      for (std::size_t i = 0; i < block->rows(); ++i) {
        const Row row = block->row(i);
        if (row.weight == 0) continue;  // as if it were not there
        append(row, made.text);
        made.counts.nonzeros += row.size;
        ++made.counts.rows;
      }
      return made;
    };
    Vectorized::File written;
    parallel_stream(cores(), next, make, [&](std::size_t, const Made& made) {
      check_stop(stop_, rows->name());
      file.write(made.text);
      written.rows += made.counts.rows;
      written.nonzeros += made.counts.nonzeros;
      written.bad_rows += made.counts.bad_rows;
      tell(doing, made.bytes);
    });
    return written;
  }

 private:
  const std::atomic<bool>* stop_;
  OnText on_text_;
};

void write_lines(const std::vector<std::string>& lines, AtomicFile& file) {
  for (const std::string& line : lines) file.write(line + "\n");
}

// A line a feature: those that hashing has left out are empty. `written` makes a line of a name.
template <class Written>
void write_names(const Vocabulary& vocabulary, AtomicFile& file, const Written& written) {
  std::vector<std::pair<std::uint64_t, std::string>> names;
  vocabulary.for_each(
      [&](std::uint64_t id, std::string_view name) { names.emplace_back(id, written(name)); });
  std::sort(names.begin(), names.end());
  std::uint64_t line = 0;
  for (const auto& [id, name] : names) {
    for (; line < id; ++line) file.write("\n");
    file.write(name + "\n");
    ++line;
  }
  for (; line < vocabulary.id_end(); ++line) file.write("\n");
}

void write_terms(const TermList& terms, AtomicFile& file) {
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) append_term(terms, i, text);
  file.write(text);
}

}  // namespace

Converted convert(const std::string& data, const std::string& rows_path,
                  const std::string& names_path, const std::string& labels_path,
                  const ReadOptions& options, const OnText& on_text) {
  const RowWriter writer(options, on_text);
  ReadOptions read = options;
  read.format = format_of(data, options.format);
  read.vocabulary = nullptr;
  if (read.format != Format::libsvm) read.vocabulary = make_vocabulary(read.hash_bits);
  read.on_read = writer.reading("converting " + data);
  const auto features = make_feature_map(read.dim);
  const auto rows = open_rows(data, read, features);
  const Survey& survey = *rows->survey();
  if (survey.weighted) throw Error(data + ": libsvm text cannot store importance weights");
  Converted converted{0, survey.dimension, read.vocabulary != nullptr, !survey.label_names.empty()};
  const auto append = libsvm_writer(*features);
  Outputs out;
  converted.rows = writer.write(rows, out.open(rows_path), "writing " + rows_path, append).rows;
  if (converted.has_names) write_names(*read.vocabulary, out.open(names_path), escaped);
  if (converted.has_labels) write_lines(survey.label_names, out.open(labels_path));
  out.commit();
  return converted;
}

Converted convert_by(const Similarity& similarity, const std::string& data,
                     const std::string& rows_path, const std::string& labels_path,
                     const ReadOptions& options, const OnText& on_text) {
  if (!(similarity.width > 0)) throw UsageError("--width must be above 0");
  const RowWriter writer(options, on_text);
  const auto features = make_feature_map();
  ReadOptions read = options;
  read.once = true;
  read.vocabulary = make_vocabulary(read.hash_bits);  // a name means one feature in both
  const KernelExpansion expansion(open_rows(similarity.support, read, features), similarity.width,
                                  similarity.smallest);
  const auto append = [&](const Row& row, std::string& text) { expansion.append(row, text); };
  const auto rows = open_rows(data, read, features);
  Outputs out;
  const auto written = writer.write(rows, out.open(rows_path), "converting " + data, append);
  std::vector<std::string> labels;
  for (const double label : expansion.labels()) labels.push_back(fmt::format("{}", label));
  write_lines(labels, out.open(labels_path));
  out.commit();
  return {written.rows, labels.size(), false, true};
}

Vectorized vectorize(const TextFiles& files, const ReadOptions& options, const OnText& on_text) {
  const RowWriter writer(options, on_text);
  ReadOptions read = options;
  read.format = Format::text;
  read.once = true;
  read.vocabulary = make_vocabulary(options.hash_bits);
  read.on_read = writer.reading("reading " + files.rows.at(0).first);
  const auto features = make_feature_map();
  const auto append = libsvm_writer(*features);
  Vectorized made;
  Outputs out;
  for (const auto& [texts, path] : files.rows) {
    const auto rows = open_texts(texts, read, features);
    read.on_read = nullptr;
    made.files.push_back(writer.write(rows, out.open(path), "writing " + path, append));
  }
  const Vocabulary& vocabulary = *read.vocabulary;
  made.features = vocabulary.text->dimension();
  made.labels = vocabulary.labels.words();
  const auto as_it_is = [](std::string_view term) { return std::string(term); };
  if (!files.names.empty()) write_names(vocabulary, out.open(files.names), as_it_is);
  if (!files.terms.empty()) write_terms(vocabulary.text->terms(), out.open(files.terms));
  if (!files.labels.empty()) write_lines(made.labels, out.open(files.labels));
  out.commit();
  return made;
}

}  // namespace thresh
