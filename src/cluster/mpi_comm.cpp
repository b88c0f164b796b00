#include "cluster/mpi_comm.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <thread>

#include "cluster/words.hpp"

namespace thresh {
namespace {

// Signs of life: many within the time after which a rank is given up.
constexpr double kBeatsPerTimeout = 8;
constexpr double kLongestBeat = 5;  // seconds

std::string host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

}  // namespace

// A rank that ends because another one failed is gone: those who wait for it need not.
enum class MpiComm::Kind : std::uint64_t { data = 1, failure = 2, gone = 3, alive = 4 };

MpiComm::MpiComm(const thresh_mpi& mpi, double timeout)
    : mpi_(mpi),
      timeout_(timeout),
      messages_(::dup(STDERR_FILENO)),
      names_(mpi.size),
      came_(mpi.size),
      inbox_(mpi.size),
      sign_(mpi.size, Clock::now()) {
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
  const std::chrono::duration<double> interval(std::min(timeout_ / kBeatsPerTimeout, kLongestBeat));
  heartbeat_ = std::make_unique<Heartbeat>(interval, [this](bool works) { beat(works); });
}

MpiComm::~MpiComm() {
  heartbeat_.reset();
  ::alarm(static_cast<unsigned>(timeout_) + 1);  // a rank may be beyond reach
  mpi_.end();
  ::alarm(0);
}

bool MpiComm::fail() {
  send_all(Kind::failure, {});
  for (std::size_t r = 0; r < rank(); ++r) {
    Message message;
    wait_for([&] { return take(r, message); }, {r});
    if (kind_of(message) == Kind::failure) return false;
  }
  wait_for([&] { return all_sent(); }, {});
  return true;
}

void MpiComm::do_begin(std::span<const std::byte> mine) {
  send_all(Kind::data, mine);
  mine_.assign(mine.begin(), mine.end());
  missing_.clear();
  for (std::size_t r = 0; r < size(); ++r) {
    if (r != rank()) missing_.push_back(r);
  }
}

bool MpiComm::do_arrived() {
  std::erase_if(missing_, [&](std::size_t r) { return take(r, came_[r]); });
  return missing_.empty();
}

void MpiComm::do_finish(std::vector<Message>& all) {
  wait_for([&] { return do_arrived(); }, missing_);
  all.resize(size());
  for (std::size_t r = 0; r < size(); ++r) {
    if (r == rank()) continue;
    all[r].swap(came_[r]);
    unwrap(r, all[r]);
  }
  all[rank()].swap(mine_);
  wait_for([&] { return all_sent(); }, missing_);
}

void MpiComm::do_send(std::size_t to, std::span<const std::byte> bytes) {
  wrap(Kind::data, bytes);
  send_out(to);
  wait_for([&] { return all_sent(); }, {to});
}

void MpiComm::do_receive(std::size_t from, Message& message) {
  wait_for([&] { return take(from, message); }, {from});
  if (kind_of(message) != Kind::data) send_all(Kind::gone, {});
  unwrap(from, message);
}

MpiComm::Kind MpiComm::kind_of(const Message& message) {
  return message.size() < kWordBytes ? Kind::failure : word_at<Kind>(message.data());
}

void MpiComm::wrap(Kind kind, std::span<const std::byte> bytes) {
  if (bytes.size() > INT_MAX / 2) throw Error("a message to other ranks is too long");
  out_.clear();
  put_word(kind, out_);
  out_.insert(out_.end(), bytes.begin(), bytes.end());
}

void MpiComm::unwrap(std::size_t from, Message& message) const {
  if (kind_of(message) != Kind::data) throw RankFailed(names_[from] + " failed");
  message.erase(message.begin(), message.begin() + kWordBytes);
}

// What is wrapped.
void MpiComm::send_out(std::size_t to) {
  const std::lock_guard lock(mutex_);
  mpi_.send(static_cast<int>(to), out_.data(), out_.size());
}

void MpiComm::send_all(Kind kind, std::span<const std::byte> bytes) {
  wrap(kind, bytes);
  for (std::size_t r = 0; r < size(); ++r) {
    if (r != rank()) send_out(r);
  }
}

bool MpiComm::all_sent() {
  const std::lock_guard lock(mutex_);
  return mpi_.sent() != 0;
}

// The next message that is more than a sign of life, from MPI. With the lock.
bool MpiComm::receive_next(std::size_t from, Message& message) {
  for (;;) {
    const long long size = mpi_.waiting(static_cast<int>(from));
    if (size < 0) return false;
    message.resize(static_cast<std::size_t>(size));
    mpi_.receive(static_cast<int>(from), message.data(), message.size());
    sign_[from] = Clock::now();
    if (kind_of(message) != Kind::alive) return true;
  }
}

bool MpiComm::take(std::size_t from, Message& message) {
  const std::lock_guard lock(mutex_);
  if (inbox_[from].empty()) return receive_next(from, message);
  message = std::move(inbox_[from].front());
  inbox_[from].pop_front();
  return true;
}

// Messages of ranks that nobody waits for must not pile up.
void MpiComm::beat(bool works) {
  static const Kind alive = Kind::alive;
  const std::lock_guard lock(mutex_);
  for (std::size_t r = 0; r < size(); ++r) {
    if (r == rank()) continue;
    for (Message message; receive_next(r, message);) inbox_[r].push_back(std::move(message));
    if (works) mpi_.send(static_cast<int>(r), &alive, sizeof alive);
  }
  mpi_.sent();
}

// Polls, since most answers come within microseconds; later it sleeps between two looks. Where
// ranks share cores, the one that is waited for may need this one.
void MpiComm::wait_for(const std::function<bool()>& done, const Ranks& ranks) {
  constexpr double kAwake = 1e-4;
  constexpr std::chrono::microseconds kNap(20);
  if (done()) return;
  const auto started = Clock::now();
  while (!done()) {
    const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
    if (seconds > timeout_) {
      if (const auto who = silent(ranks, started)) give_up(ranks, *who);
    }
    if (seconds > kAwake) {
      std::this_thread::sleep_for(kNap);
    } else if (share_cores_) {
      std::this_thread::yield();
    }
  }
}

// The one of these ranks that has been silent for too long, this one if there are none. Where waits
// are short, signs of life do not count: ranks that wait for each other are alive, too.
std::optional<std::size_t> MpiComm::silent(const Ranks& ranks, Clock::time_point since) {
  if (ranks.empty()) return rank();
  if (!patient_) return ranks.front();
  const std::lock_guard lock(mutex_);
  for (const std::size_t r : ranks) {
    const auto last = std::max(since, sign_[r]);
    if (std::chrono::duration<double>(Clock::now() - last).count() > timeout_) return r;
  }
  return std::nullopt;
}

// The lowest rank that waits tells the user and ends the others, unless it is still at work.
void MpiComm::give_up(const Ranks& ranks, std::size_t silent) const {
  std::size_t lowest = 0;
  while (std::ranges::count(ranks, lowest) > 0) ++lowest;
  if (rank() != lowest) ::sleep(1);
  const std::string line = fmt::format("thresh: {} has not answered for {:g} seconds\n",
                                       ranks.empty() ? "a rank" : names_[silent], timeout_);
  static_cast<void>(!::write(messages_.get(), line.data(), line.size()));
  mpi_.abort(1);
  ::_exit(1);
}

}  // namespace thresh
