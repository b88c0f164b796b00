#include "train/shared_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fcntl.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cluster/words.hpp"
#include "data/cache/file.hpp"
#include "data/read/bytes.hpp"
#include "files/fd.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

std::uint64_t hash_of_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
    if (got == 0) return XXH3_64bits_digest(&state);
    XXH3_64bits_update(&state, piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

void check_shared_run(const Problem& problem, const Options& options) {
  const auto refuse = [](bool condition, const std::string& what) {
    if (condition) throw UsageError(what + " does not support several ranks yet");
  };
  refuse(slices_of(options) == 0, options.solver + " without --slices");
  // Sums of steps are not stored by feature.
  refuse(options.iterate == Iterate::average && options.checkpoint != nullptr,
         "--checkpoint with --iterate average");
  const std::string& weights = options.weights_file;
  if (!weights.empty()) check_same_file(weights, *problem.features->share()->comm);
  refuse(options.save_state || options.from_state != nullptr, "--save-state");
}

void check_same_file(const std::string& path, Comm& comm) {
  std::error_code none;
  const bool exists = std::filesystem::exists(path, none);
  if (path == "-" || (exists && !std::filesystem::is_regular_file(path, none))) {
    throw UsageError(fmt::format("{}: several ranks can read only a file", path));
  }
  Message mine;
  // The checksum of a cache covers all of it, and each rank reads only a part.
  put_word(is_cache_file(path) ? CacheFile(path).checksum() : hash_of_file(path), mine);
  std::vector<Message> all;
  comm.exchange(mine, all);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw Error(
        fmt::format("{}: {} reads other data than {}", path, comm.name_of(rank), comm.name_of(0)));
  }
}

WorstTerm worst_term(const Runaway& mine, const FeatureMap& features) {
  WorstTerm worst{std::nullopt, mine.weight, mine.value};
  if (mine.slot) worst.id = features.id(*mine.slot);
  if (!features.share()) return worst;
  Message message;
  if (worst.id) {
    put_word(*worst.id, message);
    put_word(worst.weight, message);
    put_word(worst.value, message);
  }
  std::vector<Message> all;
  features.share()->comm->exchange(message, all);
  // As one process finds it: the first term that is not finite, else the first of the largest.
  const auto before = [](const WorstTerm& a, const WorstTerm& b) {
    const double a_size = std::fabs(a.weight * a.value);
    const double b_size = std::fabs(b.weight * b.value);
    if (std::isfinite(a_size) != std::isfinite(b_size)) return !std::isfinite(a_size);
    if (std::isfinite(a_size) && a_size != b_size) return a_size > b_size;
    return *a.id < *b.id;
  };
  for (const Message& each : all) {
    if (each.size() != 3 * kWordBytes) continue;  // the intercept is larger than its terms
    const WorstTerm other{word_at<std::uint64_t>(each.data()),
                          word_at<double>(each.data() + kWordBytes),
                          word_at<double>(each.data() + 2 * kWordBytes)};
    if (!worst.id || before(other, worst)) worst = other;
  }
  return worst;
}

double lowest_on_all_ranks(double mine, const FeatureMap& features) {
  if (!features.share()) return mine;
  Message message;
  put_word(mine, message);
  std::vector<Message> all;
  features.share()->comm->exchange(message, all);
  for (const Message& each : all) mine = std::min(mine, word_at<double>(each.data()));
  return mine;
}

}  // namespace thresh
