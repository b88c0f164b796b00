// Threads that wait for work, so that sharing even a tenth of a millisecond of work pays.

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "sparse/cores.hpp"
#include "thresh/threads.hpp"

namespace thresh {
namespace {

// Parallel loops follow each other within microseconds, but waking a thread takes dozens of them.
// So a waiting thread spins for about that long before it sleeps.
template <class Condition>
void wait_awake(const Condition& condition) {
  constexpr int kLooks = 1000;
  for (int look = 0; look < kLooks && !condition(); ++look) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

// Helper threads, which live as long as the process.
class Helpers {
 public:
  Helpers() {
    try {
      for (std::size_t i = 1; i < all_cores(); ++i) std::thread([this] { help(); }).detach();
    } catch (const std::system_error&) {
      // If no more threads can be started, use those that were: they refer to this object.
    } catch (const std::bad_alloc&) {
    }
  }

  // Returns false if the helpers are busy.
  bool run(std::size_t most, const std::function<void()>& share) {
    if (taken_.test_and_set()) return false;
    {
      const std::lock_guard lock(mutex_);
      share_ = &share;
      seats_ = most - 1;
    }
    // No more than have a seat: on a busy machine the others would only take turns at finding none.
    for (std::size_t i = 1; i < std::min(most, all_cores()); ++i) called_.notify_one();
    share();
    std::unique_lock lock(mutex_);
    seats_ = 0;
    lock.unlock();
    wait_awake([&] { return inside_ == 0; });
    lock.lock();
    left_.wait(lock, [&] { return inside_ == 0; });
    taken_.clear();
    return true;
  }

 private:
  void help() {
    for (;;) {
      wait_awake([&] { return seats_ > 0; });
      std::unique_lock lock(mutex_);
      called_.wait(lock, [&] { return seats_ > 0; });
      --seats_;
      const std::function<void()>& share = *share_;
      ++inside_;
      lock.unlock();
      share();
      lock.lock();
      --inside_;
      left_.notify_one();
    }
  }

  std::atomic_flag taken_;
  std::mutex mutex_;  // guards all below
  std::condition_variable called_, left_;
  const std::function<void()>* share_ = nullptr;
  std::atomic<std::size_t> seats_ = 0;  // how many more helpers may join
  std::atomic<std::size_t> inside_ = 0;
};

std::mutex making;
std::atomic<Helpers*> made = nullptr;

// A forked child has no helper threads, and the state they shared may be inconsistent. So the child
// makes new ones. The lock ensures that no fork happens while they are being made.
void begin_anew_in_children() {
  pthread_atfork([] { making.lock(); }, [] { making.unlock(); },
                 [] {
                   made = nullptr;
                   making.unlock();
                 });
}

Helpers& helpers() {
  if (Helpers* const there = made) return *there;
  const std::lock_guard lock(making);
  static const bool told = (begin_anew_in_children(), true);
  static_cast<void>(told);
  if (made == nullptr) made = new Helpers;
  return *made;
}

}  // namespace

void with_helpers(std::size_t most, const std::function<void()>& share) {
  const std::size_t limit = thread_limit();
  if (limit > 0) most = std::min(most, limit);
  if (most < 2) return share();
  const auto limited = [&] {
    const ThreadLimit inherited(limit);
    share();
  };
  if (!helpers().run(most, limit > 0 ? std::function<void()>(limited) : share)) share();
}

}  // namespace thresh
