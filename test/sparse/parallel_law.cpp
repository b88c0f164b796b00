// Work on all cores must look like work on one: same calls, same order, same error.
#include "sparse/parallel.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "thresh/error.hpp"
#include "tools/error_of.hpp"

// What a thread owns looks lost to the leak checker of a forked child, where the thread is not.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:thresh::with_helpers";
}

namespace thresh::parallel_law {
namespace {

// Takes longer for some numbers than for others, so that results come out of order.
void dawdle(std::size_t i) {
  std::this_thread::sleep_for(std::chrono::microseconds(i * 7919 % 50));
}

TEST(Parallel, ResultsAreTakenInOrderOneAtATime) {
  for (const std::size_t n : {0, 1, 2, 3, 500}) {
    std::vector<std::size_t> taken;
    std::atomic<int> inside = 0;
    const auto make = [](std::size_t i) {
      dawdle(i);
      return i * i;
    };
    parallel_in_order(n, make, [&](std::size_t i, std::size_t square) {
      EXPECT_EQ(++inside, 1);
      EXPECT_EQ(square, i * i);
      taken.push_back(i);
      --inside;
    });
    ASSERT_EQ(taken.size(), n);
    EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
  }
}

TEST(Parallel, TheFirstErrorInOrderIsTheOneThrown) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::size_t taken = 0;
    const auto make = [](std::size_t i) {
      dawdle(100 - i);
      if (i >= 30) throw Error("made " + std::to_string(i));
      return 0;
    };
    EXPECT_EQ(error_of([&] { parallel_in_order(100, make, [&](std::size_t, int) { ++taken; }); }),
              "made 30");
    EXPECT_EQ(taken, 30u) << "everything before it";
    const auto take = [](std::size_t i, int) {
      if (i == 20) throw Error("taken");
    };
    EXPECT_EQ(error_of([&] { parallel_in_order(100, make, take); }), "taken");
  }
}

TEST(Parallel, OnlySoManyResultsWaitForTheirTurn) {
  std::atomic<std::size_t> made = 0;
  std::size_t furthest = 0;
  const auto make = [&](std::size_t) { return ++made; };
  parallel_in_order(2000, make, [&](std::size_t i, std::size_t) {
    if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    furthest = std::max<std::size_t>(furthest, made - i);
  });
  EXPECT_LE(furthest, 5 * cores() + 1);
}

TEST(Parallel, ForCallsEachOnce) {
  for (const std::size_t n : {0, 1, 2, 1000}) {
    std::vector<std::atomic<int>> calls(n);
    parallel_for(n, [&](std::size_t i) { ++calls.at(i); });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

// Threads stay behind: a child that waited for them would hang here or when it ends.
TEST(Parallel, ForWorksInForkedProcesses) {
  parallel_for(100, dawdle);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    std::atomic<std::size_t> sum = 0;
    for (int repeat = 0; repeat < 100; ++repeat) {
      parallel_for(100, [&](std::size_t i) { sum += i; });
    }
    std::exit(sum == 495'000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Only those that the user leaves to us.
TEST(Parallel, CoresAreThoseOfTheAffinity) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(cores(), static_cast<std::size_t>(CPU_COUNT(&all)));
  std::jthread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_FALSE(has_second_core());
  }).join();
}

TEST(Parallel, ForThrowsTheErrorOfTheLowestNumber) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto work = [](std::size_t i) {
      dawdle(100 - i);
      if (i >= 30) throw Error("at " + std::to_string(i));
    };
    EXPECT_EQ(error_of([&] { parallel_for(100, work); }), "at 30");
  }
}

// The helpers are shared by all: loops within loops, and in several threads at once.
TEST(Parallel, ForWithinForCallsEachOnce) {
  std::vector<std::atomic<int>> calls(4000);
  const auto inner = [&](std::size_t first) {
    parallel_for(100, [&](std::size_t i) { ++calls[first + i]; });
  };
  const auto outer = [&](std::size_t first) {
    parallel_for(20, [&](std::size_t k) { inner(first + 100 * k); });
  };
  {
    const std::jthread other([&] { outer(0); });
    outer(2000);
  }
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace thresh::parallel_law
