// Checks the certificate of a two-class model, or of one class of several, except the bound.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "certify/examination.hpp"
#include "thresh/certificate.hpp"

namespace thresh {

// Throws CertificateError if the kind of the certificate does not match the model.
void check_kind(const nlohmann::ordered_json& claim, const Model& model);

// The passed check that the rows are those of the training.
Check same_rows(std::uint64_t rows);

class Verifier {
 public:
  // `of` is a prefix for the names of checks. `claimed` must outlive this object.
  Verifier(const Claimed& claimed, nlohmann::ordered_json claim, std::string of = "");

  // Checks until one fails. Returns whether all hold.
  bool run();

  const Examination& found() const { return found_; }
  const std::vector<Check>& checks() const { return checks_; }
  const std::vector<std::uint64_t>& set_rows() const { return set_; }

 private:
  bool check(const char* name, bool holds, std::string text, bool checked = true);
  bool data();
  bool errors();
  bool compression_set();
  bool problem();
  bool weights();  // whether the constraints hold
  bool gap();
  std::string reading_hint() const;
  // What is wrong with a replayed compression set; "" if nothing.
  std::string mistake_of(const Replay& run, const std::vector<std::uint64_t>& ids) const;

  const Model& model_;
  const FeatureMap& features_;
  nlohmann::ordered_json claim_;
  std::string of_;
  Examination found_;
  std::vector<Check> checks_;
  std::vector<std::uint64_t> set_;
};

}  // namespace thresh
