// Whether a launcher started this process, and the plugin thresh-mpi through which its ranks speak.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "cluster/mpi_comm.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

// How long a rank may not answer. Reading data takes long, and not equally long everywhere.
constexpr double kUsualTimeout = 60;

double timeout_from_environment() {
  const char* const text = std::getenv("THRESH_TIMEOUT");
  if (text == nullptr) return kUsualTimeout;
  const auto seconds = parse_finite(text);
  if (!seconds || *seconds <= 0) {
    throw UsageError(fmt::format("THRESH_TIMEOUT={}: a number of seconds is needed", text));
  }
  return *seconds;
}

// Where the plugin may be: beside the program, or where `cmake --install` puts it.
std::vector<std::string> plugin_places() {
  if (const char* const path = std::getenv("THRESH_MPI_PLUGIN"); path != nullptr) return {path};
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  std::vector<std::string> places = {program / "thresh-mpi.so"};
  places.push_back(
      (program / ".." / THRESH_LIBDIR / "thresh" / "thresh-mpi.so").lexically_normal());
  return places;
}

const thresh_mpi* load_plugin() {
  const std::vector<std::string> places = plugin_places();
  const auto there = std::find_if(places.begin(), places.end(), [](const std::string& path) {
    return std::filesystem::exists(path);
  });
  if (there == places.end()) {
    throw Error(fmt::format(
        "a launcher started several ranks, but the plugin thresh-mpi is not installed ({})",
        fmt::join(places, ", ")));
  }
  void* const library = ::dlopen(there->c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) throw Error(::dlerror());
  const auto begin = reinterpret_cast<thresh_mpi_begin>(::dlsym(library, "thresh_mpi_begin_v1"));
  // MPI waits for all ranks to start.
  std::signal(SIGALRM, [](int) {
    constexpr std::string_view kLine = "thresh: not all ranks have started\n";
    static_cast<void>(!::write(STDERR_FILENO, kLine.data(), kLine.size()));
    ::_exit(1);
  });
  ::alarm(static_cast<unsigned>(timeout_from_environment()) + 1);
  const thresh_mpi* const mpi = begin != nullptr ? begin() : nullptr;
  ::alarm(0);
  std::signal(SIGALRM, SIG_DFL);
  if (mpi == nullptr || mpi->version != THRESH_MPI_VERSION) {
    throw Error(*there + ": it is for another version of thresh, or MPI does not work");
  }
  return mpi;
}

// How many ranks the launcher says that it started: Open MPI's, MPICH's and Intel's, Slurm's.
std::optional<int> ranks_started() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* const text = std::getenv(name); text != nullptr) return std::atoi(text);
  }
  // Slurm tells the number of tasks to every program, so only its MPI counts.
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (std::getenv("PMIX_RANK") != nullptr && tasks != nullptr) return std::atoi(tasks);
  return std::nullopt;
}

}  // namespace

bool started_by_launcher() {
  return ranks_started().has_value();
}

std::unique_ptr<Comm> join_ranks() {
  if (ranks_started().value_or(1) < 2) return nullptr;
  const thresh_mpi& mpi = *load_plugin();
  return std::make_unique<MpiComm>(mpi, timeout_from_environment());
}

}  // namespace thresh
