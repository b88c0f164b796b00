#include "common/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "messages.hpp"
#include "sparse/parallel.hpp"
#include "thresh/files.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace thresh::experiments {
namespace {

using Clock = std::chrono::steady_clock;

// Files are named by hash, because job names are long.
std::string file_of(const Job& job, const std::string& folder) {
  return fmt::format("{}/{:016x}.json", folder,
                     static_cast<std::uint64_t>(XXH3_64bits(job.name.data(), job.name.size())));
}

std::optional<Json> kept(const Job& job, const std::string& folder) {
  std::ifstream in(file_of(job, folder));
  const Json file = Json::parse(in, nullptr, false);
  if (file.is_discarded() || file.value("job", "") != job.name) return std::nullopt;
  return file.at("result");
}

// Returns the result as parsed from the file, so that results do not depend on interruptions.
Json keep(const Job& job, const Json& result, const std::string& folder) {
  const std::string text = Json({{"job", job.name}, {"result", result}}).dump();
  AtomicFile file(file_of(job, folder));
  file.write(text);
  file.commit();
  return Json::parse(text).at("result");
}

// Progress of the jobs: a bar on a terminal, otherwise one line per finished job.
class Bar {
 public:
  Bar(std::size_t jobs, std::size_t before)
      : jobs_(jobs), before_(before), done_(before), line_(true), start_(Clock::now()) {}

  void add(const Job& job, double seconds) {
    ++done_;
    if (line_.enabled()) {
      show();
    } else {
      fmt::print(stderr, "[{}/{}] {} ({:.1f} s)\n", done_, jobs_, job.name, seconds);
    }
  }
  void show() {
    constexpr std::size_t kWidth = 30;
    const double passed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left = done_ > before_ ? passed * static_cast<double>(jobs_ - done_) /
                                              static_cast<double>(done_ - before_)
                                        : 0;
    const std::size_t full = kWidth * done_ / jobs_;
    line_.show(fmt::format("[{}{}] {} of {} runs  {:.0f} s, about {:.0f} s left",
                           std::string(full, '#'), std::string(kWidth - full, '.'), done_, jobs_,
                           passed, left));
  }

 private:
  std::size_t jobs_, before_, done_;
  cli::LiveLine line_;
  Clock::time_point start_;
};

}  // namespace

std::vector<Json> run_jobs(const std::vector<Job>& jobs, const std::string& folder,
                           std::size_t threads) {
  std::filesystem::create_directories(folder);
  std::map<std::string, Json> results;  // by job name
  std::vector<const Job*> open;
  for (const Job& job : jobs) {
    const auto [entry, is_new] = results.try_emplace(job.name);
    if (!is_new) continue;
    if (auto result = kept(job, folder)) {
      entry->second = std::move(*result);
    } else {
      open.push_back(&job);
    }
  }
  const std::size_t before = results.size() - open.size();
  fmt::print(stderr, "{} runs, {} of them kept from before\n", results.size(), before);
  Bar bar(results.size(), before);
  if (!open.empty()) bar.show();
  std::mutex mutex;
  std::size_t next = 0;
  std::exception_ptr error;
  run_threads(threads > 0 ? threads : cores(), [&] {
    for (;;) {
      std::unique_lock lock(mutex);
      if (next == open.size() || error) return;
      const Job& job = *open[next++];
      lock.unlock();
      try {
        const Clock::time_point start = Clock::now();
        Json result = keep(job, job.work(), folder);
        lock.lock();
        results[job.name] = std::move(result);
        bar.add(job, std::chrono::duration<double>(Clock::now() - start).count());
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        error = std::current_exception();
      }
    }
  });
  if (error) std::rethrow_exception(error);
  std::vector<Json> in_order;
  for (const Job& job : jobs) in_order.push_back(results.at(job.name));
  return in_order;
}

double number(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::size_t smallest_of(const std::vector<double>& values) {
  const auto smaller = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  const auto best = std::min_element(values.begin(), values.end(), smaller);
  return static_cast<std::size_t>(best - values.begin());
}

}  // namespace thresh::experiments
