// The ranks that mpirun or another launcher started, through the plugin thresh-mpi.
//
// Every message begins with a word: data, or the failure of its sender. A rank that fails tells all
// others and ends; they find that out at their next exchange and end, too. If several fail for the
// same reason, the lowest of them tells the user. MPI itself ends a job whose ranks die.
//
// Ranks that work also send a sign of life now and then. Where one rank may wait long for another,
// it waits as long as these come.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cluster/heartbeat.hpp"
#include "cluster/plugin.h"
#include "files/fd.hpp"
#include "thresh/cluster.hpp"

namespace thresh {

class MpiComm : public Comm {
 public:
  // A rank that is silent for `timeout` seconds is given up.
  MpiComm(const thresh_mpi& mpi, double timeout);
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;
  ~MpiComm() override;

  std::size_t rank() const override { return static_cast<std::size_t>(mpi_.rank); }
  std::size_t size() const override { return static_cast<std::size_t>(mpi_.size); }
  std::string name_of(std::size_t rank) const override { return names_[rank]; }
  void be_patient() override { patient_ = true; }
  bool fail() override;

 protected:
  void do_begin(std::span<const std::byte> mine) override;
  bool do_arrived() override;
  void do_finish(std::vector<Message>& all) override;
  void do_send(std::size_t to, std::span<const std::byte> bytes) override;
  void do_receive(std::size_t from, Message& message) override;

 private:
  using Clock = std::chrono::steady_clock;
  using Ranks = std::vector<std::size_t>;
  enum class Kind : std::uint64_t;

  static Kind kind_of(const Message& message);
  void wrap(Kind kind, std::span<const std::byte> bytes);
  void unwrap(std::size_t from, Message& message) const;
  void send_out(std::size_t to);
  void send_all(Kind kind, std::span<const std::byte> bytes);
  bool all_sent();
  bool receive_next(std::size_t from, Message& message);
  bool take(std::size_t from, Message& message);
  void beat(bool works);
  void wait_for(const std::function<bool()>& done, const Ranks& ranks);
  std::optional<std::size_t> silent(const Ranks& ranks, Clock::time_point since);
  [[noreturn]] void give_up(const Ranks& ranks, std::size_t silent) const;

  const thresh_mpi& mpi_;
  double timeout_;
  Fd messages_;  // for the user, also when this rank is silent otherwise
  bool patient_ = false;
  std::vector<std::string> names_;
  bool share_cores_ = true;  // with other ranks on this machine
  Message out_;
  Message mine_;               // of the exchange under way
  std::vector<Message> came_;  // for it, by rank
  Ranks missing_;              // in it

  // What the heartbeat's thread uses, too: also MPI itself.
  std::mutex mutex_;
  std::vector<std::deque<Message>> inbox_;  // what it received, by rank
  std::vector<Clock::time_point> sign_;     // when something came last, by rank
  std::unique_ptr<Heartbeat> heartbeat_;
};

}  // namespace thresh
