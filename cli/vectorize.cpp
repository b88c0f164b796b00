// thresh vectorize TEXT: raw text as rows of weighted terms.
//
// Labels that are words become 0, 1, 2, ... in the sorted order of the words, as they do in a
// model.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "data/names/vocabulary.hpp"
#include "data/open/open_texts.hpp"
#include "files/atomic_file.hpp"
#include "progress.hpp"
#include "sparse/parallel.hpp"
#include "text/text_format.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct VectorizeCommand {
  std::string data, output, names, vocabulary, labels, on_bad_row = "stop";
  std::vector<std::string> also;
  unsigned hash_bits = 0;
  TextFlags text;
  OutputFlags out;
};

struct Written {
  std::string file;
  std::uint64_t rows = 0, nonzeros = 0, bad_rows = 0;
};

// What a thread made of some documents.
struct Piece {
  DocumentBlock block;
  std::vector<std::string> rows;  // without labels
  std::uint64_t nonzeros = 0;
};

Piece weigh(DocumentBlock block, const TextVectorizer& vectorizer) {
  Piece piece{std::move(block), {}};
  TextVectorizer::Scratch scratch;
  std::vector<TextVectorizer::Entry> row;
  for (const Document& document : piece.block.documents) {
    vectorizer.weigh(document.text, scratch, row);
    piece.nonzeros += row.size();
    std::string& text = piece.rows.emplace_back();
    const auto out = std::back_inserter(text);
    for (const auto& [feature, value] : row) {
      fmt::format_to(out, " {}:{}", feature + std::uint64_t{1}, value);
    }
    text += '\n';
  }
  return piece;
}

// Writes the rows of documents in libsvm text.
class RowWriter {
 public:
  RowWriter(const VectorizeCommand& c, Vocabulary& vocabulary) : c_(c), vocabulary_(vocabulary) {}

  Written write(const Documents& documents, const std::string& path) {
    ReadMeter meter("writing " + path, c_.out.quiet);
    AtomicFile file(path);
    Written total{path};
    const auto stream = documents.open();
    parallel_stream(
        cores(), [&] { return stream->next(); },
        [&](const DocumentStream::Work& work) { return weigh(work(), *vocabulary_.text); },
        [&](std::size_t, const Piece& piece) {
          for (std::size_t i = 0; i < piece.rows.size(); ++i) {
            const auto label = label_of(piece.block.documents[i], documents);
            if (label) file.write(fmt::format("{}", *label) + piece.rows[i]);
            ++(label ? total.rows : total.bad_rows);
          }
          total.bad_rows += piece.block.bad;
          total.nonzeros += piece.nonzeros;
          meter.add(piece.block.bytes);
        });
    file.commit();
    return total;
  }

 private:
  // None for a bad one that is to be skipped.
  std::optional<double> label_of(const Document& document, const Documents& documents) {
    try {
      return vocabulary_.labels.code(document.label);
    } catch (const Error& error) {
      if (c_.on_bad_row == "skip") return std::nullopt;
      throw Error(fmt::format("{}: {}", documents.place_of(document), error.what()));
    }
  }

  const VectorizeCommand& c_;
  Vocabulary& vocabulary_;
};

void write_lines(const std::vector<std::string>& lines, const std::string& path) {
  AtomicFile file(path);
  for (const std::string& line : lines) file.write(line + "\n");
  file.commit();
}

// TEST=test.svm
std::pair<std::string, std::string> parse_also(const std::string& text) {
  const std::size_t split = text.rfind('=');
  if (split == std::string::npos || split == 0 || split + 1 == text.size()) {
    throw UsageError(fmt::format("--also {}: write TEXT=OUTPUT", text));
  }
  return {text.substr(0, split), text.substr(split + 1)};
}

// Line i for feature i; empty for hashes that no term has.
void write_names(const Vocabulary& vocabulary, const std::string& path) {
  std::vector<std::string> names(vocabulary.text->dimension());
  vocabulary.for_each([&](std::uint64_t id, std::string_view name) { names[id] = name; });
  write_lines(names, path);
}

// INDEX<TAB>DOCUMENTS<TAB>TERM, as in a model file.
void write_vocabulary(const TermList& terms, const std::string& path) {
  AtomicFile file(path);
  std::string line;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    line.clear();
    append_term(terms, i, line);
    file.write(line);
  }
  file.commit();
}

void report(const VectorizeCommand& c, const Vocabulary& vocabulary,
            const std::vector<Written>& files) {
  const std::vector<std::string>& labels = vocabulary.labels.words();
  if (c.out.json) {
    Json json;
    json["features"] = vocabulary.text->dimension();
    json["labels"] = labels;
    for (const Written& file : files) {
      json["files"].push_back({{"file", file.file},
                               {"rows", file.rows},
                               {"nonzeros", file.nonzeros},
                               {"bad_rows", file.bad_rows}});
    }
    return print_json(json);
  }
  if (c.out.quiet) return;
  std::string text;
  for (const Written& file : files) {
    text += fmt::format("{}: {} rows, {} non-zeros", file.file, thousands(file.rows),
                        thousands(file.nonzeros));
    if (file.bad_rows > 0) text += ", " + skipped(file.bad_rows);
    text += '\n';
  }
  text += fmt::format("{} features\n", thousands(vocabulary.text->dimension()));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "labels: " : ", ", i, labels[i]);
  }
  print(text + (labels.empty() ? "" : "\n"));
}

void vectorize(const VectorizeCommand& c) {
  ReadOptions read;
  read.text = finish(c.text);
  read.skip_bad_rows = c.on_bad_row == "skip";
  read.stop = &stop_requested;
  std::vector<std::pair<std::string, std::string>> also;
  for (const std::string& text : c.also) also.push_back(parse_also(text));
  std::vector<NamedFile> inputs = {{"text", c.data}, {"stop words", c.text.stop_words}};
  std::vector<NamedFile> outputs = {
      {"rows", c.output}, {"names", c.names}, {"vocabulary", c.vocabulary}, {"labels", c.labels}};
  for (const auto& [text, output] : also) {
    inputs.push_back({"text", text});
    outputs.push_back({"rows", output});
  }
  check_outputs(outputs, inputs);
  ReadMeter meter("reading " + c.data, c.out.quiet);
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  DocumentOptions how{false, read.skip_bad_rows, true, read.stop};
  const Documents first(c.data, how);
  Vocabulary vocabulary(c.hash_bits);
  learn_texts(first, read, vocabulary);
  meter.clear();
  RowWriter writer(c, vocabulary);
  std::vector<Written> written{writer.write(first, c.output)};
  how.again = false;
  for (const auto& [text, output] : also) {
    written.push_back(writer.write(Documents(text, how), output));
  }
  if (!c.names.empty()) write_names(vocabulary, c.names);
  if (!c.vocabulary.empty()) write_vocabulary(vocabulary.text->terms(), c.vocabulary);
  if (!c.labels.empty()) write_lines(vocabulary.labels.words(), c.labels);
  report(c, vocabulary, written);
}

}  // namespace

void add_vectorize(CLI::App& app) {
  auto c = std::make_shared<VectorizeCommand>();
  CLI::App& command = *app.add_subcommand("vectorize", "Turn raw text into rows");
  command
      .add_option("data", c->data,
                  "Lines LABEL<TAB>TEXT, plain or compressed, - for stdin; or a folder of texts")
      ->type_name(kFile)
      ->required();
  command.add_option("-o,--output", c->output, "Where the rows go")->type_name(kFile)->required();
  command.add_option("--also", c->also,
                     "Other texts with the same features: TEXT=OUTPUT; may be repeated");
  command.add_option("--names", c->names, "Write the terms, line i for feature i")
      ->type_name(kFile);
  command
      .add_option("--vocabulary", c->vocabulary,
                  "Write each feature's number, how many documents have it, and the term")
      ->type_name(kFile);
  command
      .add_option("--labels", c->labels,
                  "Write the words that labels 0, 1, 2, ... stand for, one a line")
      ->type_name(kFile);
  command
      .add_option("--hash-bits", c->hash_bits,
                  "Features are 2^B hashes of terms; memory does not grow with the terms")
      ->check(CLI::Range(1U, Vocabulary::kMaxHashBits));
  command.add_option("--on-bad-row", c->on_bad_row, "What to do with a bad line: stop or skip")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
  add_text_options(command, c->text);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh vectorize 20news-train -o train.svm --also 20news-test=test.svm --names terms.txt\n"
      "  thresh vectorize sms.tsv.xz -o sms.svm --ngrams 1:2 --min-df 2 --stop-words english\n"
      "In a folder every file is a text, and the folder it lies in is its label.");
  command.callback([c] { vectorize(*c); });
}

}  // namespace thresh::cli
