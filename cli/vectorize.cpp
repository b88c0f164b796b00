// thresh vectorize TEXT: raw text as rows of weighted terms.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "files/atomic_file.hpp"
#include "progress.hpp"
#include "sparse/parallel.hpp"
#include "text/learn.hpp"
#include "text_options.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct VectorizeCommand {
  std::string data, output, names, vocabulary, on_bad_row = "stop";
  std::vector<std::string> also;
  TextFlags text;
  OutputFlags out;
};

struct Written {
  std::string file;
  std::uint64_t rows = 0, nonzeros = 0, bad_rows = 0;
};

struct Piece {
  std::string text;
  Written counts;
  std::uint64_t bytes;
};

// The rows of some documents as libsvm text.
Piece to_libsvm(const DocumentBlock& block, const TextVectorizer& vectorizer) {
  Piece piece{"", {"", block.documents.size(), 0, block.bad}, block.bytes};
  TextVectorizer::Scratch scratch;
  std::vector<TextVectorizer::Entry> row;
  const auto out = std::back_inserter(piece.text);
  for (const Document& document : block.documents) {
    vectorizer.weigh(document.text, scratch, row);
    piece.counts.nonzeros += row.size();
    piece.text += document.label;
    for (const auto& [feature, value] : row) fmt::format_to(out, " {}:{}", feature + 1, value);
    piece.text += '\n';
  }
  return piece;
}

Written write_rows(const Documents& documents, const TextVectorizer& vectorizer,
                   const std::string& path, bool quiet) {
  ReadMeter meter("writing " + path, quiet);
  AtomicFile file(path);
  Written total{path};
  const auto stream = documents.open();
  parallel_stream(
      cores(), [&] { return stream->next(); },
      [&](const DocumentStream::Work& work) { return to_libsvm(work(), vectorizer); },
      [&](std::size_t, const Piece& piece) {
        file.write(piece.text);
        total.rows += piece.counts.rows;
        total.nonzeros += piece.counts.nonzeros;
        total.bad_rows += piece.counts.bad_rows;
        meter.add(piece.bytes);
      });
  file.commit();
  return total;
}

// TEST=test.svm
std::pair<std::string, std::string> parse_also(const std::string& text) {
  const std::size_t split = text.rfind('=');
  if (split == std::string::npos || split == 0 || split + 1 == text.size()) {
    throw UsageError(fmt::format("--also {}: write TEXT=OUTPUT", text));
  }
  return {text.substr(0, split), text.substr(split + 1)};
}

void write_names(const TextVectorizer& vectorizer, const std::string& path) {
  AtomicFile file(path);
  const TermList& terms = vectorizer.terms();
  for (std::size_t i = 0; i < terms.size(); ++i) file.write(std::string(terms.name(i)) + "\n");
  file.commit();
}

void report(const VectorizeCommand& c, const TextVectorizer& vectorizer,
            const std::vector<Written>& files) {
  if (c.out.json) {
    Json json;
    json["features"] = vectorizer.dimension();
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
    text += file.bad_rows > 0 ? fmt::format(", {} bad rows skipped\n", thousands(file.bad_rows))
                              : std::string("\n");
  }
  print(text + fmt::format("{} features\n", thousands(vectorizer.dimension())));
}

void vectorize(const VectorizeCommand& c) {
  const TextOptions options = finish(c.text);
  std::vector<std::pair<std::string, std::string>> files{{c.data, c.output}};
  for (const std::string& text : c.also) files.push_back(parse_also(text));
  DocumentOptions how;
  how.skip_bad = c.on_bad_row == "skip";
  how.stop = &stop_requested;
  how.again = true;
  const Documents first(c.data, how);
  ReadMeter meter("reading " + c.data, c.out.quiet);
  const auto vectorizer =
      learn_terms(first, options, {nullptr, [&](std::uint64_t bytes) { meter.add(bytes); }});
  meter.clear();
  std::vector<Written> written{write_rows(first, *vectorizer, c.output, c.out.quiet)};
  how.again = false;
  for (std::size_t i = 1; i < files.size(); ++i) {
    const Documents documents(files[i].first, how);
    written.push_back(write_rows(documents, *vectorizer, files[i].second, c.out.quiet));
  }
  if (!c.names.empty()) write_names(*vectorizer, c.names);
  report(c, *vectorizer, written);
}

}  // namespace

void add_vectorize(CLI::App& app) {
  auto c = std::make_shared<VectorizeCommand>();
  CLI::App& command = *app.add_subcommand("vectorize", "Turn raw text into rows");
  command
      .add_option("data", c->data,
                  "Lines LABEL<TAB>TEXT, plain or compressed, - for stdin; or a folder of texts")
      ->required();
  command.add_option("-o,--output", c->output, "Where the rows go")->required();
  command.add_option("--also", c->also,
                     "Other texts with the same features: TEXT=OUTPUT; may be repeated");
  command.add_option("--names", c->names, "Write the terms, line i for feature i");
  command.add_option("--vocabulary", c->vocabulary, "Write options, terms and their counts");
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
