// Checks what is certified of a model of two classes, or of the part of one class, but for the
// bound.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "certify/examination.hpp"
#include "thresh/certificate.hpp"

namespace thresh {

// Throws CertificateError for a certificate of another kind than the model's.
void check_kind(const nlohmann::ordered_json& claim, const Model& model);

// That the rows are those of the training.
Check same_rows(std::uint64_t rows);

class Verifier {
 public:
  // `of`: what the names of checks begin with. What was claimed must live as long.
  Verifier(const Claimed& claimed, nlohmann::ordered_json claim, std::string of = "");

  // Until a check fails; whether all of it holds.
  bool run();

  const Examination& found() const { return found_; }
  const std::vector<Check>& checks() const { return checks_; }
  const std::vector<std::uint64_t>& kernel_rows() const { return kernel_; }

 private:
  bool check(const char* name, bool holds, std::string text, bool checked = true);
  bool data();
  bool errors();
  bool kernel();
  bool problem();
  bool weights();  // whether they are allowed
  bool gap();
  std::string reading_hint() const;
  // What is wrong with a kernel that was tried; "" if nothing is.
  std::string mistake_of(const Replay& run, const std::vector<std::uint64_t>& ids) const;

  const Model& model_;
  const FeatureMap& features_;
  nlohmann::ordered_json claim_;
  std::string of_;
  Examination found_;
  std::vector<Check> checks_;
  std::vector<std::uint64_t> kernel_;
};

}  // namespace thresh
