// The ranks that mpirun or another launcher started, through the plugin thresh-mpi.
//
// Every message begins with a word: data, or the failure of its sender. A rank that fails tells all
// others and ends; they find that out at their next exchange and end, too. If several fail for the
// same reason, the lowest of them tells the user. MPI itself ends a job whose ranks die.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <thread>

#include "cluster/plugin.h"
#include "cluster/words.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

// A rank that ends because another one failed is gone: those who wait for it need not.
enum class Kind : std::uint64_t { data = 1, failure = 2, gone = 3 };

// How long a rank may not answer. Reading data takes long, and not equally long everywhere.
constexpr double kUsualTimeout = 60;

double timeout_from_environment(double otherwise = kUsualTimeout) {
  const char* const text = std::getenv("THRESH_TIMEOUT");
  if (text == nullptr) return otherwise;
  const auto seconds = parse_finite(text);
  if (!seconds || *seconds <= 0) {
    throw UsageError(fmt::format("THRESH_TIMEOUT={}: a number of seconds is needed", text));
  }
  return *seconds;
}

std::string host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

class MpiComm : public Comm {
 public:
  explicit MpiComm(const thresh_mpi& mpi)
      : mpi_(mpi), timeout_(timeout_from_environment()), names_(mpi.size) {
    for (std::size_t r = 0; r < size(); ++r) names_[r] = fmt::format("rank {}", r);
    const std::string mine = host();
    std::vector<Message> all;
    exchange(std::as_bytes(std::span(mine)), all);
    share_cores_ = static_cast<std::size_t>(std::ranges::count(all, all[rank()])) >
                   static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN));
    for (std::size_t r = 0; r < size(); ++r) {
      names_[r] += fmt::format(
          " ({})", std::string(reinterpret_cast<const char*>(all[r].data()), all[r].size()));
    }
  }
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;
  ~MpiComm() override {
    ::alarm(static_cast<unsigned>(timeout_) + 1);  // a rank may be beyond reach
    mpi_.end();
    ::alarm(0);
  }

  std::size_t rank() const override { return static_cast<std::size_t>(mpi_.rank); }
  std::size_t size() const override { return static_cast<std::size_t>(mpi_.size); }
  std::string name_of(std::size_t rank) const override { return names_[rank]; }

  void be_patient() override {
    patience_ = timeout_from_environment(std::numeric_limits<double>::infinity());
  }

  bool fail() override {
    send_all(Kind::failure, {});
    for (std::size_t r = 0; r < rank(); ++r) {
      Message message;
      wait_for([&] { return take(r, message); }, {r});
      if (kind_of(message) == Kind::failure) return false;
    }
    wait_for([&] { return mpi_.sent() != 0; }, {});
    return true;
  }

 protected:
  void do_exchange(std::span<const std::byte> mine, std::vector<Message>& all) override {
    send_all(Kind::data, mine);
    all.resize(size());
    missing_.clear();
    for (std::size_t r = 0; r < size(); ++r) {
      if (r != rank()) missing_.push_back(r);
    }
    wait_for(
        [&] {
          std::erase_if(missing_, [&](std::size_t r) { return take(r, all[r]); });
          return missing_.empty();
        },
        missing_);
    for (std::size_t r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      unwrap(r, all[r]);
    }
    all[rank()].assign(mine.begin(), mine.end());
    wait_for([&] { return mpi_.sent() != 0; }, missing_);
  }

  void do_send(std::size_t to, std::span<const std::byte> bytes) override {
    wrap(Kind::data, bytes);
    mpi_.send(static_cast<int>(to), out_.data(), out_.size());
    wait_for([&] { return mpi_.sent() != 0; }, {to});
  }

  void do_receive(std::size_t from, Message& message) override {
    wait_for([&] { return take(from, message); }, {from});
    if (kind_of(message) != Kind::data) send_all(Kind::gone, {});
    unwrap(from, message);
  }

 private:
  static Kind kind_of(const Message& message) {
    return message.size() < kWordBytes ? Kind::failure : word_at<Kind>(message.data());
  }

  void wrap(Kind kind, std::span<const std::byte> bytes) {
    if (bytes.size() > INT_MAX / 2) throw Error("a message to other ranks is too long");
    out_.clear();
    put_word(kind, out_);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  void unwrap(std::size_t from, Message& message) const {
    if (kind_of(message) != Kind::data) throw RankFailed(names_[from] + " failed");
    message.erase(message.begin(), message.begin() + kWordBytes);
  }

  // To all others.
  void send_all(Kind kind, std::span<const std::byte> bytes) {
    wrap(kind, bytes);
    for (std::size_t r = 0; r < size(); ++r) {
      if (r != rank()) mpi_.send(static_cast<int>(r), out_.data(), out_.size());
    }
  }

  bool take(std::size_t from, Message& message) const {
    const long long size = mpi_.waiting(static_cast<int>(from));
    if (size < 0) return false;
    message.resize(static_cast<std::size_t>(size));
    mpi_.receive(static_cast<int>(from), message.data(), message.size());
    return true;
  }

  // Polls, since most answers come within microseconds; later it sleeps between two looks. Where
  // ranks share cores, the one that is waited for may need this one.
  template <class Done>
  void wait_for(const Done& done, const std::vector<std::size_t>& ranks) const {
    using Clock = std::chrono::steady_clock;
    constexpr double kAwake = 1e-4;
    constexpr std::chrono::microseconds kNap(20);
    if (done()) return;
    const auto started = Clock::now();
    while (!done()) {
      const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
      if (seconds > patience_) give_up(ranks);
      if (seconds > kAwake) {
        std::this_thread::sleep_for(kNap);
      } else if (share_cores_) {
        std::this_thread::yield();
      }
    }
  }

  // The lowest rank that waits tells the user.
  [[noreturn]] void give_up(const std::vector<std::size_t>& ranks) const {
    std::size_t lowest = 0;
    while (std::ranges::count(ranks, lowest) > 0) ++lowest;
    if (rank() == lowest) {
      const std::string who = ranks.empty() ? "a rank" : names_[ranks.front()];
      const std::string line =
          fmt::format("thresh: {} has not answered for {:g} seconds\n", who, patience_);
      static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
    } else {
      ::sleep(1);
    }
    mpi_.abort(1);
    ::_exit(1);
  }

  const thresh_mpi& mpi_;
  double timeout_;
  double patience_ = timeout_;
  std::vector<std::string> names_;
  bool share_cores_ = true;  // with other ranks on this machine
  Message out_;
  std::vector<std::size_t> missing_;
};

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
  return std::make_unique<MpiComm>(*load_plugin());
}

}  // namespace thresh
