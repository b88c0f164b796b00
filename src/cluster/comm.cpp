#include <algorithm>
#include <chrono>

#include "cluster/words.hpp"
#include "thresh/cluster.hpp"

namespace thresh {
namespace {

// Adds the time until it ends.
class Waiting {
 public:
  explicit Waiting(double& seconds) : seconds_(seconds) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

void Comm::exchange(std::span<const std::byte> mine, std::vector<Message>& all) {
  begin(mine);
  finish(all);
}

void Comm::begin(std::span<const std::byte> mine) {
  const Waiting waiting(traffic_.waiting);
  do_begin(mine);
  ++traffic_.exchanges;
  traffic_.messages += size() - 1;
  traffic_.bytes += (size() - 1) * mine.size();
}

void Comm::finish(std::vector<Message>& all) {
  const Waiting waiting(traffic_.waiting);
  do_finish(all);
}

// The length, and then the bytes in pieces; the first is with the length.
void Comm::send(std::size_t to, std::span<const std::byte> bytes) {
  const Waiting waiting(traffic_.waiting);
  traffic_.bytes += bytes.size();
  Message piece;
  put_word(std::uint64_t{bytes.size()}, piece);
  do {
    const auto part = bytes.first(std::min(bytes.size(), kLongestPiece - piece.size()));
    piece.insert(piece.end(), part.begin(), part.end());
    do_send(to, piece);
    ++traffic_.messages;
    piece.clear();
    bytes = bytes.subspan(part.size());
  } while (!bytes.empty());
}

Message Comm::receive(std::size_t from) {
  const Waiting waiting(traffic_.waiting);
  Message all;
  do_receive(from, all);
  const auto whole = all.size() < kWordBytes ? 0 : word_at<std::uint64_t>(all.data());
  all.erase(all.begin(),
            all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kWordBytes)));
  for (Message piece; all.size() < whole;) {
    do_receive(from, piece);
    all.insert(all.end(), piece.begin(), piece.end());
  }
  if (all.size() != whole) throw Error(name_of(from) + " is at another place of the command");
  return all;
}

std::vector<Message> Comm::gather(std::span<const std::byte> mine) {
  if (rank() != 0) {
    send(0, mine);
    return {};
  }
  std::vector<Message> all = {Message(mine.begin(), mine.end())};
  while (all.size() < size()) all.push_back(receive(all.size()));
  return all;
}

Message Comm::from_first(std::span<const std::byte> bytes) {
  if (rank() != 0) return receive(0);
  for (std::size_t to = 1; to < size(); ++to) send(to, bytes);
  return {bytes.begin(), bytes.end()};
}

}  // namespace thresh
