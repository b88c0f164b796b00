// Several processes (ranks) that learn one model together. Each holds the weights and the row
// entries of its own features. See docs/cluster.md.
//
// A command runs in the same way on all ranks and takes the same decisions, because these depend
// only on numbers that all ranks know: margins, and what the rows say besides their entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thresh/error.hpp"
#include "thresh/fit.hpp"

namespace thresh {

using Message = std::vector<std::byte>;

// Another rank failed, and has told its user why.
struct RankFailed : Error {
  using Error::Error;
};

class Comm {
 public:
  // What was sent by this rank.
  struct Traffic {
    std::uint64_t exchanges = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    double waiting = 0;  // seconds
  };

  virtual ~Comm() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // The rank's name for messages.
  virtual std::string name_of(std::size_t rank) const = 0;

  // Sends the bytes to all other ranks; all[r] becomes what rank r sends, also for this rank. All
  // ranks call it the same number of times. Throws RankFailed if another rank has failed.
  void exchange(std::span<const std::byte> mine, std::vector<Message>& all);
  // The same in two steps. Between them this rank may compute, but not call anything else here.
  void begin(std::span<const std::byte> mine);
  void finish(std::vector<Message>& all);
  // Between the two: whether finish() need not wait.
  bool arrived() { return do_arrived(); }

  // A message of any length from one rank to another, which calls receive(). Throws RankFailed like
  // exchange().
  void send(std::size_t to, std::span<const std::byte> bytes);
  Message receive(std::size_t from);
  // What each rank has, on rank 0; empty on the others.
  std::vector<Message> gather(std::span<const std::byte> mine);
  // What rank 0 has, on all.
  Message from_first(std::span<const std::byte> bytes);

  // From now on others may take long to answer, as long as they show that they work.
  virtual void be_patient() {}

  // This rank cannot go on: tells the others. Returns whether it is the one to tell the user.
  virtual bool fail() { return true; }

  const Traffic& traffic() const { return traffic_; }

 protected:
  virtual void do_begin(std::span<const std::byte> mine) = 0;
  virtual bool do_arrived() = 0;
  virtual void do_finish(std::vector<Message>& all) = 0;
  // Of at most kLongestPiece bytes.
  virtual void do_send(std::size_t to, std::span<const std::byte> bytes) = 0;
  virtual void do_receive(std::size_t from, Message& message) = 0;
  static constexpr std::size_t kLongestPiece = std::size_t{1} << 28;

 private:
  Traffic traffic_;
};

// Whether a launcher such as mpirun started this process.
bool started_by_launcher();
// The ranks that the launcher started with this one; null if there is only one. Throws Error if the
// plugin for MPI is not installed.
std::unique_ptr<Comm> join_ranks();

// The number of slices if a launcher started the process and the user sets none.
inline constexpr std::uint64_t kUsualSlices = 64;

// Throws Error unless all ranks read the same bytes, UsageError for what cannot be read by several.
void check_same_file(const std::string& path, Comm& comm);

// Opens the files like open_problem(), but of every row only the entries in this rank's share of
// the slices. Throws Error if ranks read different files.
Problem open_share(const std::string& train, const std::string& valid, const ReadOptions& options,
                   std::uint64_t slices, Comm& comm);

}  // namespace thresh
