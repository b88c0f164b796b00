/* What tests of the C interface share. */
#ifndef THRESH_TEST_CHECK_H
#define THRESH_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <thresh/thresh.h>

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "line %d: %s (last error: %s)\n", __LINE__, #condition, thresh_error()); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

/* Zeroed memory for at least so many. */
static inline void* room(uint64_t count, size_t each) {
  void* memory = calloc(count + 1, each);
  CHECK(memory != NULL);
  return memory;
}

#endif
