/* What the plugin thresh-mpi gives to the program, which loads it when a launcher starts several
 * ranks. Plain C, so that program and plugin need not be of one compiler. */
#pragma once

#include <stddef.h>

#define THRESH_MPI_VERSION 1

struct thresh_mpi {
  int version;
  int rank, size;
  /* Begins to send. The bytes must stay until sent() is true. */
  void (*send)(int to, const void* bytes, size_t size);
  /* Whether all that was begun has been sent. */
  int (*sent)(void);
  /* The length of the next message of this rank, or -1 if none has come. */
  long long (*waiting)(int from);
  /* Takes that message. */
  void (*receive)(int from, void* bytes, size_t size);
  /* Ends all ranks at once. */
  void (*abort)(int code);
  /* Ends this rank. All ranks must call it. */
  void (*end)(void);
};

/* The only function of the plugin. Null if MPI cannot be used. */
typedef const struct thresh_mpi* (*thresh_mpi_begin)(void);
