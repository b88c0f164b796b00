// Rows in other files: libsvm text for other programs, and caches, which are read many times faster
// than text. All files appear whole or not at all. Functions throw Interrupted once
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

// Told what is being done, such as "writing a.svm", and of the text that went through.
using OnText = std::function<void(const std::string& doing, std::uint64_t bytes)>;

// Rows as libsvm text, with numbers for names of features and of classes, and what these are.
struct Converted {
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  bool has_names = false;   // line i of `names_path` is the name of feature i
  bool has_labels = false;  // line i of `labels_path` is what label i - 1 stands for
};
Converted convert(const std::string& data, const std::string& rows_path,
                  const std::string& names_path, const std::string& labels_path,
                  const ReadOptions& options = {}, const OnText& on_text = {});

// Rows whose feature i is the similarity exp(-|x - s_i|^2 / width) to row i of another file, whose
// labels go to `labels_path`. Smaller similarities than `smallest` are left out.
struct Similarity {
  std::string support;  // the other file
  double width = 25;
  double smallest = 1e-6;
};
Converted convert_by(const Similarity& similarity, const std::string& data,
                     const std::string& rows_path, const std::string& labels_path,
                     const ReadOptions& options = {}, const OnText& on_text = {});

// Rows with features that say nothing, see generate.hpp. Of a table the names are not written.
Converted add_noise(const NoiseOptions& noise, const std::string& data,
                    const std::string& rows_path, const ReadOptions& options = {});
struct ProbeOptions {
  std::uint64_t informative = 2500;  // features; as many are probes
  std::uint64_t seed = 1;
  std::string chosen_on;  // the training file, for other rows of the same kind; "": these rows
};
Converted add_probes(const ProbeOptions& probes, const std::string& data,
                     const std::string& rows_path, const ReadOptions& options = {});

// Raw texts as rows of weighted terms. What terms there are is learned from the first one.
struct TextFiles {
  std::vector<std::pair<std::string, std::string>> rows;  // texts, and where their rows go
  // Line i is term i, or its number, how many documents have it, and the term; line i is what label
  // i - 1 stands for. "": not wanted.
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

// A cache of rows, which open_rows() takes for data like any other.
struct CacheMade {
  Survey survey;
  std::string note;  // what the user should know about how the rows were read; "" if nothing
};
CacheMade make_cache(const std::string& data, const std::string& cache_path,
                     const ReadOptions& options = {});

}  // namespace thresh
