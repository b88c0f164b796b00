// Converts data files: to libsvm text for other programs, and to caches, which load many times
// faster than text. Output files are written atomically. Functions throw Interrupted once
// ReadOptions::stop is true.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "thresh/generate.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Progress callback: the current action, such as "writing a.svm", and the bytes of text processed.
using OnText = std::function<void(const std::string& doing, std::uint64_t bytes)>;

// Writes rows as libsvm text. Names of features and classes become numbers; `names_path` and
// `labels_path` receive the names.
struct Converted {
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  bool has_names = false;   // line i of `names_path` is the name of feature i
  bool has_labels = false;  // line i of `labels_path` is the class with label i - 1
};
Converted convert(const std::string& data, const std::string& rows_path,
                  const std::string& names_path, const std::string& labels_path,
                  const ReadOptions& options = {}, const OnText& on_text = {});

// Writes rows whose feature i is the similarity exp(-|x - s_i|^2 / width) to row s_i of the file
// `support`. Its labels go to `labels_path`. Similarities below `smallest` are left out.
struct Similarity {
  std::string support;
  double width = 25;
  double smallest = 1e-6;
};
Converted convert_by(const Similarity& similarity, const std::string& data,
                     const std::string& rows_path, const std::string& labels_path,
                     const ReadOptions& options = {}, const OnText& on_text = {});

// Add features without information to rows, see generate.hpp. Names of tables are not written.
Converted add_noise(const NoiseOptions& noise, const std::string& data,
                    const std::string& rows_path, const ReadOptions& options = {});
struct ProbeOptions {
  std::uint64_t informative = 2500;  // informative features; the same number of probes is added
  std::uint64_t seed = 1;
  std::string chosen_on;  // for test rows: the training file that chose the features; "": `data`
};
Converted add_probes(const ProbeOptions& probes, const std::string& data,
                     const std::string& rows_path, const ReadOptions& options = {});

// Writes raw texts as rows of weighted terms. The terms are learned from the first file.
struct TextFiles {
  std::vector<std::pair<std::string, std::string>> rows;  // paths of texts and of their rows
  // Line i of `names`: term i. Line i of `terms`: its number, its number of documents, the term.
  // Line i of `labels`: the class with label i - 1. "": do not write the file.
  std::string names, terms, labels;
};
struct Vectorized {
  std::uint64_t features = 0;
  std::vector<std::string> labels;
  struct File {
    std::uint64_t rows = 0, nonzeros = 0, bad_rows = 0;
  };
  std::vector<File> files;
};
Vectorized vectorize(const TextFiles& files, const ReadOptions& options = {},
                     const OnText& on_text = {});

// Writes a cache of rows. open_rows() reads it like any other data file. With `slices`, ranks that
// learn together read only their own entries from it, see cluster.hpp.
struct CacheMade {
  Survey survey;
  std::string note;  // a message for the user about how the rows were read, or ""
};
CacheMade make_cache(const std::string& data, const std::string& cache_path,
                     const ReadOptions& options = {}, std::uint64_t slices = 0);
// How many slices a cache was made with. 0: none, or it is another file.
std::uint64_t slices_of_cache(const std::string& path);

}  // namespace thresh
