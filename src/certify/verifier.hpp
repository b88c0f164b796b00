// Checks the certificate of a two-class model, or of one class of several, except the bound.
#pragma once

#include <string>
#include <vector>

#include "certify/examination.hpp"
#include "thresh/certificate.hpp"

namespace thresh {

// Throws CertificateError if the kind of the certificate does not match the model.
void check_kind(const Record& claim, const Model& model);

// The check that the rows are those of the training, as passed.
Check same_rows(std::uint64_t rows);

class Verifier {
 public:
  // `of` is a prefix for the names of checks. `claim` must outlive this object.
  Verifier(const Claimed& claimed, const Record& claim, std::string of = "");

  // Checks until one fails. Returns whether all hold.
  bool run();

  const Examination& found() const { return found_; }
  const std::vector<Check>& checks() const { return checks_; }
  const std::vector<std::uint64_t>& set_rows() const { return set_; }

 private:
  const Model& model() const { return found_.claimed().model; }
  bool check(const char* name, bool holds, std::string text, bool checked = true);
  bool data();
  bool errors();
  bool compression_set();
  bool problem();
  bool weights();  // whether the constraints hold
  bool gap();
  bool subset_bound();  // of a feature limit
  std::string reading_hint() const;
  // What is wrong with a replayed compression set; "" if nothing.
  std::string mistake_of(const Replay& run, const std::vector<std::uint64_t>& ids) const;

  Examination found_;
  const Record& claim_;
  std::string of_;
  std::vector<Check> checks_;
  std::vector<std::uint64_t> set_;
};

}  // namespace thresh
