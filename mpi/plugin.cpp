// thresh-mpi: MPI behind the few calls of cluster/plugin.h. Messages between two ranks each, so
// that a rank that does not answer can be named.

#include <mpi.h>

#include <list>

#include "cluster/plugin.h"

namespace {

std::list<MPI_Request> sending;

void send(int to, const void* bytes, std::size_t size) {
  MPI_Isend(bytes, static_cast<int>(size), MPI_BYTE, to, 0, MPI_COMM_WORLD,
            &sending.emplace_back());
}

int sent() {
  sending.remove_if([](MPI_Request& request) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  return sending.empty() ? 1 : 0;
}

long long waiting(int from) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(from, 0, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return -1;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  return size;
}

void receive(int from, void* bytes, std::size_t size) {
  MPI_Recv(bytes, static_cast<int>(size), MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void abort_all(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

void end() {
  MPI_Finalize();
}

thresh_mpi calls = {THRESH_MPI_VERSION, 0, 1, send, sent, waiting, receive, abort_all, end};

}  // namespace

extern "C" __attribute__((visibility("default"))) const thresh_mpi* thresh_mpi_begin_v1() {
  // One thread of the program learns, and it alone sends and receives.
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    return nullptr;
  }
  if (provided < MPI_THREAD_SERIALIZED) return nullptr;
  MPI_Comm_rank(MPI_COMM_WORLD, &calls.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &calls.size);
  return &calls;
}
