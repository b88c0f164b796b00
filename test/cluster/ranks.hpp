// The real program on several ranks that mpirun starts on this machine. Skipped where there is no
// mpirun, or where the plugin for MPI was not built.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tools/program.hpp"

inline const std::string kBuildFolder = std::filesystem::path(THRESH_BINARY).parent_path().string();

inline bool has_mpirun() {
  std::istringstream places(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string place; std::getline(places, place, ':');) {
    if (std::filesystem::exists(place + "/mpirun")) return true;
  }
  return false;
}

// The one line of the program. mpirun may add its own about ranks that fail, and a zero at the end.
inline std::string told(const Result& result) {
  std::string line;
  std::istringstream lines(result.err);
  for (std::string each; std::getline(lines, each);) {
    if (!each.starts_with("thresh: ")) continue;
    EXPECT_EQ(line, "") << result;
    line = each;
  }
  return line;
}

class CliRanks : public CliTest {
 protected:
  void SetUp() override {
    if (!std::string(THRESH_SANITIZE).empty()) GTEST_SKIP() << "MPI itself leaks memory";
    if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun (Debian: openmpi-bin)";
    if (!std::filesystem::exists(kBuildFolder + "/thresh-mpi.so")) {
      GTEST_SKIP() << "the plugin thresh-mpi was not built (Debian: libopenmpi-dev)";
    }
    ASSERT_EQ(thresh({"generate", "gaussian", "--rows", "300", "--features", "200", "--seed", "3",
                      "-o", "a.svm"})
                  .exit,
              0);
  }

  // The command of mpirun, which finds what it needs in its environment.
  Command mpirun(Words arguments) const {
    Command command;
    command.program = "/usr/bin/env";
    command.folder = dir.path.string();
    command.arguments = {"mpirun"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    // As root, and with more ranks than cores: Open MPI 4, then 5.
    command.environment = {{"THRESH_TIMEOUT", "20"},
                           {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                           {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                           {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                           {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
                           {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                           {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"}};
    return command;
  }
  // One of the ranks begins with something else. (mpirun of Open MPI 5 crashes if it is given
  // several programs.)
  Command elsewhere(int ranks, int which, const std::string& first,
                    const std::string& arguments) const {
    return mpirun({"-n", std::to_string(ranks), "sh", "-c",
                   fmt::format("if [ $OMPI_COMM_WORLD_RANK = {} ]; then {}; fi; exec {} {}", which,
                               first, THRESH_BINARY, arguments)});
  }
  Result on_ranks(int ranks, const Words& arguments) const {
    Words all = {"-n", std::to_string(ranks), THRESH_BINARY};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run(mpirun(all));
  }
};
