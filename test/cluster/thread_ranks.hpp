// Ranks that are threads of the test: what they send goes through memory.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
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
    void do_begin(std::span<const std::byte> mine) override {
      mine_.assign(mine.begin(), mine.end());
    }
    bool do_arrived() override { return false; }  // so that all is done that can be done meanwhile
    void do_finish(std::vector<Message>& all) override {
      all_.meet([&] { all_.sent_[rank_] = mine_; });
      all = all_.sent_;
      all_.meet([] {});  // all have read
    }
    void do_send(std::size_t to, std::span<const std::byte> bytes) override {
      const std::lock_guard lock(all_.mutex_);
      all_.mail_[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
      all_.changed_.notify_all();
    }
    void do_receive(std::size_t from, Message& message) override {
      std::unique_lock lock(all_.mutex_);
      std::deque<Message>& mail = all_.mail_[{from, rank_}];
      all_.changed_.wait(lock, [&] { return !mail.empty() || all_.error_; });
      if (mail.empty()) throw RankFailed("another rank failed");
      message = std::move(mail.front());
      mail.pop_front();
    }

   private:
    ThreadRanks& all_;
    std::size_t rank_;
    Message mine_;
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
  std::map<std::pair<std::size_t, std::size_t>, std::deque<Message>> mail_;  // by sender, receiver
};

}  // namespace thresh
