// Every command on small inputs, with one call of the C library failing.
#pragma once

#include <map>
#include <set>

#include "tools/program.hpp"

// A command and the files that it writes. They appear together, if `together` is set.
struct Faulty {
  std::string name;
  Words arguments;
  Words outputs;
  bool together = false;
  Words made = {};       // likewise, but there are no old ones
  bool resumes = false;  // the run of a checkpoint: after a failure it can be resumed again
};

inline void PrintTo(const Faulty& faulty, std::ostream* out) {
  *out << faulty.name;
}

// Which calls fail, with what, and how many of them.
struct FaultCall {
  std::string call;
  Words errors;
};

std::vector<Faulty> faulty_commands();
const std::vector<FaultCall>& fault_calls();

class Faults : public CliTest, public testing::WithParamInterface<Faulty> {
 protected:
  void SetUp() override;
  // Runs the command with call n failing and checks what it leaves behind. Returns whether there
  // was an n-th call.
  bool try_fault(const std::string& call, std::uint64_t n, const std::string& error);
  // How often each call is made.
  std::map<std::string, std::uint64_t> counts();

 private:
  Result run_with(const std::string& fault);
  void reset();
  void check_message(const Result& result, const std::string& what) const;
  void check_files(const Result& result, const std::string& what) const;
  std::string read(const std::string& name) const;

  ScratchDir temporary_, logs_;
  std::set<std::string> inputs_;
  std::string saved_;                          // the checkpoint of an interrupted run
  std::map<std::string, std::string> wanted_;  // what the outputs contain without a fault
};
