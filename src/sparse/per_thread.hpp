// An object of each thread, made at its first use and destroyed when the thread ends.
//
//     static PerThread<std::vector<char>> texts;
//     std::vector<char>& text = texts.here();
//
// A thread_local object with a destructor does the same, but if the C library has no memory to note
// the destructor, it ends the program. This throws std::bad_alloc.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace thresh {

template <class T>
class PerThread {
 public:
  PerThread() {
    const auto destroy = [](void* object) { delete static_cast<T*>(object); };
    if (pthread_key_create(&key_, destroy) != 0) throw std::bad_alloc();
  }
  ~PerThread() { pthread_key_delete(key_); }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  T& here() {
    if (void* const there = pthread_getspecific(key_)) return *static_cast<T*>(there);
    auto made = std::make_unique<T>();
    if (pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  pthread_key_t key_;
};

}  // namespace thresh
