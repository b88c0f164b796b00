#include "common/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/archive.hpp"
#include "sparse/random.hpp"
#include "text/learn.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {

const char* const kNewsgroupsFile = "20news-bydate.tar.xz";
const char* const kEnronFile = "enron-spam.tar.xz";

namespace {

// Learns terms from a temporary file with one text per line.
std::shared_ptr<const TextVectorizer> learn(const Texts& texts, std::size_t count,
                                            const TextOptions& options) {
  TempFile lines;
  for (std::size_t i = 0; i < count; ++i) {
    std::string line = "0\t" + texts.texts[i];
    std::replace(line.begin() + 2, line.end(), '\n', ' ');
    line += '\n';
    lines.append(line.data(), line.size());
  }
  lines.flush();
  DocumentOptions documents;
  documents.again = true;
  return learn_terms(Documents(fmt::format("/proc/self/fd/{}", lines.fd()), documents), options);
}

std::shared_ptr<const TextVectorizer> most_frequent(const TextVectorizer& all, std::size_t count) {
  const TermList& terms = all.terms();
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return terms.counts[a] > terms.counts[b]; });
  order.resize(std::min(count, order.size()));
  std::sort(order.begin(), order.end());
  TermList chosen;
  for (const std::size_t i : order) {
    chosen.add(terms.name(i), static_cast<std::uint32_t>(chosen.size()), terms.counts[i]);
  }
  const std::size_t size = chosen.size();
  return std::make_shared<TextVectorizer>(all.options(), all.documents(), size, std::move(chosen));
}

Rows weigh(const Texts& texts, std::size_t begin, std::size_t end,
           const TextVectorizer& vectorizer) {
  Rows rows;
  TextVectorizer::Scratch scratch;
  std::vector<TextVectorizer::Entry> row;
  for (std::size_t i = begin; i < end; ++i) {
    vectorizer.weigh(texts.texts[i], scratch, row);
    for (const auto& entry : row) rows.add(entry.feature, entry.value);
    rows.end_row(texts.labels[i]);
  }
  return rows;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  const std::size_t before = path.rfind('/', slash - 1);
  return path.substr(before + 1, slash - before - 1);
}

}  // namespace

Texts shuffled(const Texts& texts, std::uint64_t seed) {
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  shuffle(order.begin(), order.end(), random);
  Texts mixed;
  for (const std::size_t i : order) mixed.add(texts.texts[i], texts.labels[i]);
  return mixed;
}

DataSet text_data(const Texts& texts, const PartSizes& sizes, const TextOptions& options,
                  std::size_t most_terms) {
  const std::size_t valid = sizes.train, test = valid + sizes.valid, end = test + sizes.test;
  if (end > texts.size()) {
    throw Error(fmt::format("there are {} texts, {} are needed", texts.size(), end));
  }
  auto vectorizer = learn(texts, sizes.train, options);
  if (most_terms > 0) vectorizer = most_frequent(*vectorizer, most_terms);
  DataSet data =
      make_data(weigh(texts, 0, valid, *vectorizer), weigh(texts, valid, test, *vectorizer),
                weigh(texts, test, end, *vectorizer));
  data.features = vectorizer->dimension();
  return data;
}

std::vector<Message> read_newsgroups(const std::string& folder) {
  std::vector<Message> messages;
  for (ArchivedFile& file : read_archive(folder + "/" + kNewsgroupsFile)) {
    std::erase(file.content, '\r');
    const std::size_t head = file.content.find("\n\n");
    if (head != std::string::npos) file.content.erase(0, head + 2);
    messages.push_back({folder_of(file.path), std::move(file.content)});
  }
  return messages;
}

Texts read_enron(const std::string& folder) {
  Texts mails;
  for (ArchivedFile& file : read_archive(folder + "/" + kEnronFile)) {
    const std::string kind = folder_of(file.path);
    if (kind != "ham" && kind != "spam") continue;
    mails.add(std::move(file.content), kind == "spam" ? 1 : -1);
  }
  return mails;
}

}  // namespace thresh::experiments
