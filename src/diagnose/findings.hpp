// Interprets measurements of data and model, as sentences and numbers.
#pragma once

#include <optional>
#include <string>

#include "diagnose/exponents.hpp"
#include "diagnose/finding.hpp"
#include "diagnose/grades_run.hpp"
#include "diagnose/label_noise.hpp"
#include "diagnose/overview.hpp"
#include "diagnose/restricted.hpp"
#include "diagnose/spectrum.hpp"

namespace thresh {

// `reading` of a table says what its columns are; empty for other data.
Section data_findings(const Survey& survey, const Overview& overview, const Record& reading = {});

struct SpectrumStats {
  Eigenvalue largest;         // of X'X
  Eigenvalue with_intercept;  // the same, for X with a column of ones
  double gamma = 0;           // used for the radius
  Radius radius;              // of I - X'X / gamma
};
SpectrumStats measure_spectrum(RowSource& source, const Overview& overview,
                               std::optional<double> gamma, const Watch& watch = {});
Section spectral_findings(const SpectrumStats& stats, std::uint64_t rows);

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
