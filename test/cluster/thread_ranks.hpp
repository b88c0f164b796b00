// Ranks that are threads of the test: what they send goes through memory.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "thresh/cluster.hpp"

namespace thresh {

class ThreadRanks {
 public:
  explicit ThreadRanks(std::size_t size) : sent_(size) {}

  // Calls work(comm) for each rank, in threads. Throws the first error.
  void run(const std::function<void(Comm&)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
      threads.emplace_back([&, rank] {
        Rank comm(*this, rank);
        try {
          work(comm);
        } catch (const RankFailed&) {
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!error_) error_ = std::current_exception();
          changed_.notify_all();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  class Rank : public Comm {
   public:
    Rank(ThreadRanks& all, std::size_t rank) : all_(all), rank_(rank) {}
    std::size_t rank() const override { return rank_; }
    std::size_t size() const override { return all_.sent_.size(); }
    std::string name_of(std::size_t rank) const override { return "rank " + std::to_string(rank); }

   protected:
    void do_exchange(std::span<const std::byte> mine, std::vector<Message>& all) override {
      all_.meet([&] { all_.sent_[rank_].assign(mine.begin(), mine.end()); });
      all = all_.sent_;
      all_.meet([] {});  // all have read
    }

   private:
    ThreadRanks& all_;
    std::size_t rank_;
  };

  // Waits until all ranks have done their work here.
  void meet(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    work();
    const std::uint64_t round = round_;
    if (++arrived_ == sent_.size()) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return round_ != round || error_; });
    if (round_ == round) throw RankFailed("another rank failed");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
  std::uint64_t round_ = 0;
  std::exception_ptr error_;
  std::vector<Message> sent_;
};

}  // namespace thresh
