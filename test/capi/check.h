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

#endif
