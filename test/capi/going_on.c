/* States and checkpoints from C: "save-state", "from" and "checkpoint" of thresh_train().
 * Usage: going_on, in a folder with rows.svm and its two parts, first.svm and second.svm. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresh/thresh.h>

#include "check.h"

/* Settings from names and values, up to NULL. */
static thresh_settings* settings_of(const char* name, ...) {
  thresh_settings* settings = NULL;
  CHECK(thresh_settings_new(&settings) == THRESH_OK);
  va_list rest;
  va_start(rest, name);
  for (; name != NULL; name = va_arg(rest, const char*)) {
    CHECK(thresh_settings_set(settings, name, va_arg(rest, const char*)) == THRESH_OK);
  }
  va_end(rest);
  return settings;
}

/* Frees the settings. */
static int train(thresh_settings* settings, const char* path, thresh_call* call,
                 thresh_model** model) {
  thresh_data* data = NULL;
  CHECK(thresh_data_from_path(path, &data) == THRESH_OK);
  const int code = thresh_train(settings, data, NULL, NULL, call, model, NULL);
  thresh_data_free(data);
  thresh_settings_free(settings);
  return code;
}

/* Frees the models; whether they are equal, to the byte. */
static int same(thresh_model* a, thresh_model* b) {
  char *left = NULL, *right = NULL;
  uint64_t left_size = 0, right_size = 0;
  CHECK(thresh_model_to_bytes(a, &left, &left_size) == THRESH_OK);
  CHECK(thresh_model_to_bytes(b, &right, &right_size) == THRESH_OK);
  const int equal = left_size == right_size && memcmp(left, right, left_size) == 0;
  thresh_free(left), thresh_free(right);
  thresh_model_free(a), thresh_model_free(b);
  return equal;
}

static thresh_settings* one_pass(const char* name, const char* value) {
  return settings_of("zero-based", "true", "solver", "ftrl", "passes", "1", "order", "sequential",
                     name, value, NULL);
}

static void states(void) {
  thresh_model *whole = NULL, *first = NULL, *both = NULL;
  CHECK(train(one_pass(NULL, NULL), "rows.svm", NULL, &whole) == THRESH_OK);
  CHECK(train(one_pass("save-state", "first.state"), "first.svm", NULL, &first) == THRESH_OK);
  CHECK(train(settings_of("from", "first.state", NULL), "second.svm", NULL, &both) == THRESH_OK);
  CHECK(same(whole, both));
  thresh_model* none = NULL;
  CHECK(train(settings_of("from", "first.svm", NULL), "second.svm", NULL, &none) ==
        THRESH_BAD_INPUT);
  CHECK(strstr(thresh_error(), "first.svm: not a state") != NULL);
  CHECK(train(settings_of("from", "first.state", "lambda", "7", NULL), "second.svm", NULL, &none) ==
        THRESH_BAD_USAGE);
  CHECK(train(settings_of("save-state", "s", "zero-based", "true", NULL), "first.svm", NULL,
              &none) == THRESH_BAD_USAGE);
  CHECK(strstr(thresh_error(), "choose another solver") != NULL);
  CHECK(train(one_pass("save-state", "first.svm"), "first.svm", NULL, &none) == THRESH_BAD_USAGE);
  CHECK(train(one_pass("save-state", "no/such/folder"), "first.svm", NULL, &none) ==
        THRESH_BAD_INPUT);
  thresh_model_free(first);
}

/* Stops a call at the progress report of this number. */
static int stop_at(void* context, const thresh_progress* progress) {
  int* const left = context;
  return progress->doing != NULL && --*left == 0;
}

static int is_file(const char* path) {
  FILE* const file = fopen(path, "r");
  if (file != NULL) fclose(file);
  return file != NULL;
}

/* Ends as if it had not been stopped, however often it is. */
static void checkpoints(thresh_settings* (*settings)(const char*, const char*)) {
  thresh_model *whole = NULL, *model = NULL, *again = NULL;
  CHECK(train(settings(NULL, NULL), "rows.svm", NULL, &whole) == THRESH_OK);
  int stops = 0;
  for (int reports = 1;; ++reports) {
    int left = reports;
    thresh_call* call = NULL;
    CHECK(thresh_call_new(stop_at, NULL, &left, &call) == THRESH_OK);
    const int code = train(settings("checkpoint", "c"), "rows.svm", call, &model);
    thresh_call_free(call);
    CHECK(code == THRESH_OK || code == THRESH_STOPPED);
    CHECK(is_file("c"));
    if (left > 0) break;                             /* it came to its end */
    if (code == THRESH_OK) thresh_model_free(model); /* the model so far */
    ++stops;
  }
  CHECK(stops > 0);
  /* Until the file is deleted, the same call gives the same model. */
  CHECK(train(settings("checkpoint", "c"), "rows.svm", NULL, &again) == THRESH_OK);
  CHECK(same(model, again));
  CHECK(train(settings("checkpoint", "c"), "first.svm", NULL, &again) == THRESH_BAD_INPUT);
  CHECK(strstr(thresh_error(), "c: the checkpoint of another call") != NULL);
  CHECK(remove("c") == 0);
  CHECK(train(settings("checkpoint", "c"), "rows.svm", NULL, &again) == THRESH_OK);
  CHECK(same(whole, again));
  CHECK(remove("c") == 0);
}

static thresh_settings* long_run(const char* name, const char* value) {
  return settings_of("zero-based", "true", "solver", "fobos", "passes", "200", name, value,
                     "checkpoint-every", "0", NULL);
}

static void refusals(void) {
  const double values[] = {1, 2, 3, 4}, labels[] = {1, -1};
  thresh_matrix matrix = {.size = sizeof matrix, .rows = 2, .columns = 2, .layout = THRESH_DENSE};
  matrix.values = values, matrix.labels = labels;
  matrix.row_stride = 2 * sizeof(double), matrix.column_stride = sizeof(double);
  thresh_data* data = NULL;
  CHECK(thresh_data_from_matrix(&matrix, &data) == THRESH_OK);
  thresh_model* model = NULL;
  const char* const names[] = {"save-state", "from", "checkpoint"};
  for (int i = 0; i < 3; ++i) {
    thresh_settings* settings = one_pass(names[i], "file");
    CHECK(thresh_train(settings, data, NULL, NULL, NULL, &model, NULL) == THRESH_BAD_USAGE);
    CHECK(strstr(thresh_error(), "applies to files, not to arrays") != NULL);
    CHECK(thresh_cv(settings, data, NULL, NULL) == THRESH_BAD_USAGE);
    CHECK(strstr(thresh_error(), names[i]) != NULL);
    thresh_settings_free(settings);
  }
  thresh_data_free(data);
}

int main(void) {
  states();
  checkpoints(long_run);
  refusals();
  return 0;
}
