// Interprets measurements of data and model, as sentences and numbers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/exponents.hpp"
#include "diagnose/finding.hpp"
#include "diagnose/grades_run.hpp"
#include "diagnose/label_noise.hpp"
#include "diagnose/overview.hpp"
#include "diagnose/restricted.hpp"
#include "diagnose/spectrum.hpp"

namespace thresh {

// Facts beside those of the rows, of data where features have names.
struct NamedFacts {
  Record reading;    // of a table says what its columns are
  std::string note;  // of the reader
  std::function<std::string(std::uint32_t slot)> name_of = nullptr;
  std::map<std::uint32_t, double> usual_sizes = {};  // of columns of numbers, by slot

  bool table() const { return reading.has("numbers"); }
};

// The targets of a regression.
struct Targets {
  std::vector<double> values;
  std::vector<std::uint64_t> rows;  // their numbers, from 0

  explicit Targets(RowSource& source, const Watch& watch = {});
};

// The median magnitude of each column of numbers.
std::map<std::uint32_t, double> usual_sizes(RowSource& source, const Overview& all,
                                            const NamedFacts& named, const Watch& watch = {});

DiagnosisLine table_columns(const NamedFacts& named);
DiagnosisLine far_cells(const Overview& all, const NamedFacts& named);
DiagnosisLine far_targets(const Targets& targets);

// `targets` is null for classes.
Section data_findings(const Survey& survey, const Overview& overview, const NamedFacts& named = {},
                      const Targets* targets = nullptr);

struct SpectrumStats {
  Eigenvalue largest;         // of X'X
  Eigenvalue with_intercept;  // the same, for X with a column of ones
  double gamma = 0;           // used for the radius
  Radius radius;              // of I - X'X / gamma
};
SpectrumStats measure_spectrum(RowSource& source, const Overview& overview,
                               std::optional<double> gamma, const Watch& watch = {});
Section spectral_findings(const SpectrumStats& stats, std::uint64_t rows, bool table = false);

Section grades_findings(const GradesRun& run, std::uint64_t features);
// An estimate of the restricted isometry that the guarantee of GraDes asks for, see restricted.hpp.
DiagnosisLine restricted_finding(const RestrictedEigenvalues& found, std::uint64_t features);

// `model` may be null.
Section exponent_findings(const ValueStats& stats, const Model* model);

Section label_findings(const LabelNoise& noise, std::uint64_t rows);

// Reads a file written by `thresh train --trace`.
Section trace_findings(const std::string& path);

// Texts shared by the sections on exponents of weights.
inline constexpr const char* kNormalExponents =
    "all within 51 of the largest, and a deviation below 10";
inline constexpr const char* kAdviceOnExponents =
    "most small weights vanish beside the largest; use a smaller --p with smidas (0.5ln), or "
    "another solver";

}  // namespace thresh
