// Texts as they come: broken encodings, NULs, endless words, folders.

#include <gtest/gtest.h>

#include <filesystem>

#include "text/learn.hpp"
#include "tools/error_of.hpp"
#include "tools/pack.hpp"
#include "tools/scratch.hpp"

using namespace thresh;

namespace {

std::vector<std::string> terms(std::string_view text, const TextOptions& options = {}) {
  std::vector<std::string> found;
  CutText cut;
  Tokenizer(options).for_each_term(text, cut,
                                   [&](std::string_view term) { found.emplace_back(term); });
  return found;
}

using Terms = std::vector<std::string>;

TEST(TextTerms, WordsAreRunsOfLettersDigitsMarksAndUnderscores) {
  EXPECT_EQ(terms("Don't e-mail snake_case 3.14 x2!"),
            (Terms{"don", "mail", "snake_case", "14", "x2"}));
}

TEST(TextTerms, EveryByteCanBeRead) {
  TextOptions one;
  one.min_length = 1;
  EXPECT_EQ(terms("caf\xe9", one), Terms{"caf\xc3\xa9"});                 // latin-1
  EXPECT_EQ(terms("caf\xc3\xa9", one), Terms{"caf\xc3\xa9"});             // UTF-8
  EXPECT_EQ(terms("\xc3", one), Terms{"\xc3\xa3"});                       // cut short: a tilde
  EXPECT_EQ(terms("\xed\xa0\x80", one), (Terms{"\xc3\xad"}));             // half a surrogate pair
  EXPECT_EQ(terms("\xc0\xaf x", one), (Terms{"\xc3\xa0", "x"}));          // overlong
  EXPECT_EQ(terms("\xf4\x90\x80\x80", one), Terms{"\xc3\xb4"});           // beyond Unicode
  EXPECT_EQ(terms(std::string_view("a\0b", 3), one), (Terms{"a", "b"}));  // NUL
  EXPECT_EQ(terms("\xf0\x9f\x98\x80 hi", one), Terms{"hi"});              // a smile is no word
}

TEST(TextTerms, ScriptsWithoutCaseAndFromRightToLeft) {
  EXPECT_EQ(terms("שלום עולם"), (Terms{"שלום", "עולם"}));
  EXPECT_EQ(terms("ΑΘΗΝΑ Жук"), (Terms{"αθηνα", "жук"}));
  EXPECT_EQ(terms("हिन्दी"), Terms{"हिन्दी"});  // vowel signs are marks and belong to the word
}

TEST(TextTerms, CharactersHaveOneBlankForWhiteSpaceAndNoneAtTheEnds) {
  TextOptions options;
  options.unit = TextOptions::Unit::characters;
  options.shortest = options.longest = 3;
  EXPECT_EQ(terms(" \tA\r\n\n b\xe9 \n", options), (Terms{"a b", " b\xc3\xa9"}));
  EXPECT_EQ(terms("ab", options), Terms{});
  EXPECT_EQ(terms(" \n ", options), Terms{});
}

TEST(TextTerms, AWordMayBeAMegabyteLong) {
  const std::string word(1 << 20, 'w');
  EXPECT_EQ(terms(word + " " + word, {}), (Terms{word, word}));
}

struct Read {
  std::vector<std::pair<std::string, std::string>> documents;  // labels and texts
  std::vector<std::uint64_t> lines, rows;
  std::uint64_t bad = 0;
};

Read read_all(const std::string& path, const DocumentOptions& options = {}) {
  const Documents documents(path, options);
  const auto stream = documents.open();
  Read read;
  std::uint64_t before = 0;
  while (const auto work = stream->next()) {
    const DocumentBlock block = (*work)();
    for (const Document& document : block.documents) {
      read.documents.emplace_back(document.label, document.text);
      read.lines.push_back(document.line);
      read.rows.push_back(before + document.row);
    }
    before += block.rows;
    read.bad += block.bad;
  }
  return read;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(TextDocuments, LinesHaveALabelATabAndTheRest) {
  const ScratchDir dir;
  const Read read = read_all(dir.write("t", "ham\tHi there\tyou\r\n\n  \nspam\t\nham\tlast"));
  EXPECT_EQ(read.documents, (Pairs{{"ham", "Hi there\tyou"}, {"spam", ""}, {"ham", "last"}}));
  EXPECT_EQ(read.lines, (std::vector<std::uint64_t>{1, 4, 5}));
}

TEST(TextDocuments, ALineWithoutALabelIsRefusedOrCounted) {
  const ScratchDir dir;
  const std::string path = dir.write("t", "a\tx\nno label\n\tempty\nb\ty\n");
  EXPECT_EQ(error_of([&] { read_all(path); }),
            path + ":2: no label: a line of text is LABEL<TAB>TEXT");
  DocumentOptions options;
  options.skip_bad = true;
  const Read read = read_all(path, options);
  EXPECT_EQ(read.documents, (Pairs{{"a", "x"}, {"b", "y"}}));
  EXPECT_EQ(read.rows, (std::vector<std::uint64_t>{0, 3}));
  EXPECT_EQ(read.bad, 2);
}

TEST(TextDocuments, WhereLabelsAreOptionalEveryLineIsAText) {
  const ScratchDir dir;
  DocumentOptions options;
  options.labels_optional = true;
  const Read read = read_all(dir.write("t", "one\n\nham\ttwo\twords\n\tthree\n"), options);
  EXPECT_EQ(read.documents, (Pairs{{"", "one"}, {"", ""}, {"ham", "two\twords"}, {"", "\tthree"}}));
}

// Pieces of a file end anywhere, and some lines are longer than a piece.
TEST(TextDocuments, LongFilesComeInPiecesOfWholeLines) {
  const ScratchDir dir;
  std::string text;
  Pairs expected;
  for (int i = 0; i < 300; ++i) {
    const std::string line(static_cast<std::size_t>(i * i * 17 % 600'000), 'x');
    expected.emplace_back(std::to_string(i), line);
    text += std::to_string(i) + "\t" + line + "\n";
  }
  const std::string plain = dir.write("t", text);
  EXPECT_EQ(read_all(plain).documents, expected);
  EXPECT_EQ(read_all(dir.write("t.gz", pack::gzip(text))).documents, expected);
}

TEST(TextDocuments, FilesOfAFolderInOrderWithTheFolderAsLabel) {
  const ScratchDir dir;
  for (const char* folder : {"mail/one/spam", "mail/one/ham", "mail/two/ham", "mail/.hidden"}) {
    std::filesystem::create_directories(dir.path / folder);
  }
  dir.write("mail/two/ham/1", "d");
  dir.write("mail/one/spam/2", "c");
  dir.write("mail/one/ham/10", "a\tb\n");
  dir.write("mail/one/ham/9", "");
  dir.write("mail/one/ham/.DS_Store", "hidden");
  dir.write("mail/.hidden/1", "hidden");
  dir.write("mail/zero.txt", "top");
  EXPECT_EQ(read_all(dir.file("mail")).documents,
            (Pairs{{"ham", "a\tb\n"}, {"ham", ""}, {"spam", "c"}, {"ham", "d"}, {"mail", "top"}}));
  EXPECT_EQ(read_all(dir.file("mail/")).documents.size(), 5);
  EXPECT_EQ(error_of([&] { read_all(dir.file("mail/.hidden")); }), "");
}

TEST(TextDocuments, WhatCannotBeReadIsSaid) {
  const ScratchDir dir;
  std::filesystem::create_directories(dir.path / "empty");
  EXPECT_EQ(error_of([&] { read_all(dir.file("empty")); }), dir.file("empty") + ": no files");
  EXPECT_EQ(error_of([&] { read_all(dir.file("none")); }),
            dir.file("none") + ": No such file or directory");
}

TEST(TextTermsLearned, NoTermIsAFeature) {
  const ScratchDir dir;
  const Documents documents(dir.write("t", "a\tone\nb\ttwo\n"), {});
  TextOptions options;
  options.min_df = {false, 2};
  EXPECT_EQ(error_of([&] { learn_terms(documents, options); }),
            dir.file("t") + ": no features: no term satisfies --min-df and --max-df");
}

}  // namespace
