// What the looks at data and model mean, in sentences and in numbers.
#pragma once

#include <optional>

#include "diagnose/exponents.hpp"
#include "diagnose/finding.hpp"
#include "diagnose/grades_run.hpp"
#include "diagnose/overview.hpp"
#include "diagnose/spectrum.hpp"

namespace thresh {

Section data_findings(const Survey& survey, const Overview& overview);

struct SpectralLook {
  Eigenvalue largest;         // of X'X
  Eigenvalue with_intercept;  // the same, X with a column of ones
  double gamma = 0;           // for which there is a radius
  Radius radius;              // of I - X'X / gamma
};
SpectralLook look_at_spectrum(RowSource& source, const Overview& overview,
                              std::optional<double> gamma, const Watch& watch = {});
Section spectral_findings(const SpectralLook& look, std::uint64_t rows);

Section grades_findings(const GradesRun& run, std::uint64_t features);

// `model` may be null.
Section exponent_findings(const ValueLook& look, const Model* model);

// Sections as the program prints them.
std::string to_text(const std::vector<Section>& sections);
nlohmann::ordered_json to_json(const std::vector<Section>& sections);

}  // namespace thresh
