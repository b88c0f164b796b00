/* The C interface: all kinds of data give the model that the program makes, and errors are codes.
 * Usage: interface ROWS.csr MODEL.thresh, where ROWS.csr is text: rows columns entries, then
 * starts, indices, values and labels, and MODEL.thresh is the program's model of the same rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresh/thresh.h>

#include "check.h"

static struct {
  uint64_t rows, columns, entries;
  int32_t *starts, *indices;
  int64_t *starts64, *indices64;
  double *values, *labels, *dense, *dense_by_columns;
  float* narrow;
  char* expected;
  uint64_t expected_size;
} all;

static void read_rows(const char* path) {
  FILE* file = fopen(path, "r");
  CHECK(file != NULL);
  unsigned long long n = 0, p = 0, e = 0;
  CHECK(fscanf(file, "%llu %llu %llu", &n, &p, &e) == 3);
  all.rows = n, all.columns = p, all.entries = e;
  all.starts = room(n + 1, sizeof(int32_t)), all.starts64 = room(n + 1, sizeof(int64_t));
  all.indices = room(e, sizeof(int32_t)), all.indices64 = room(e, sizeof(int64_t));
  all.values = room(e, sizeof(double)), all.labels = room(n, sizeof(double));
  all.dense = room(n * p, sizeof(double)), all.dense_by_columns = room(n * p, sizeof(double));
  all.narrow = room(e, sizeof(float));
  for (uint64_t i = 0; i <= n; ++i) {
    CHECK(fscanf(file, "%d", &all.starts[i]) == 1);
    all.starts64[i] = all.starts[i];
  }
  for (uint64_t i = 0; i < e; ++i) {
    CHECK(fscanf(file, "%d", &all.indices[i]) == 1);
    all.indices64[i] = all.indices[i];
  }
  for (uint64_t i = 0; i < e; ++i) {
    CHECK(fscanf(file, "%lf", &all.values[i]) == 1);
    all.narrow[i] = (float)all.values[i];
  }
  for (uint64_t i = 0; i < n; ++i) CHECK(fscanf(file, "%lf", &all.labels[i]) == 1);
  fclose(file);
  for (uint64_t row = 0; row < n; ++row) {
    for (int32_t i = all.starts[row]; i < all.starts[row + 1]; ++i) {
      const uint64_t column = (uint64_t)all.indices[i];
      all.dense[row * all.columns + column] = all.values[i];
      all.dense_by_columns[column * all.rows + row] = all.values[i];
    }
  }
}

static void read_expected(const char* path) {
  thresh_model* model = NULL;
  CHECK(thresh_model_load(path, &model) == THRESH_OK);
  CHECK(thresh_model_to_bytes(model, &all.expected, &all.expected_size) == THRESH_OK);
  thresh_model_free(model);
}

static thresh_matrix csr(void) {
  thresh_matrix matrix = {.size = sizeof matrix, .rows = all.rows, .columns = all.columns};
  matrix.layout = THRESH_CSR;
  matrix.starts = all.starts;
  matrix.indices = all.indices;
  matrix.values = all.values;
  matrix.entries = all.entries;
  matrix.labels = all.labels;
  return matrix;
}

static thresh_model* train(thresh_data* data, const char* name, const char* value) {
  thresh_settings* settings = NULL;
  CHECK(thresh_settings_new(&settings) == THRESH_OK);
  if (name != NULL) CHECK(thresh_settings_set(settings, name, value) == THRESH_OK);
  thresh_model* model = NULL;
  char* report = NULL;
  CHECK(thresh_train(settings, data, NULL, NULL, NULL, &model, &report) == THRESH_OK);
  CHECK(strstr(report, "\"status\"") != NULL);
  thresh_free(report);
  thresh_settings_free(settings);
  thresh_data_free(data);
  return model;
}

static void expect_model_of(const thresh_matrix* matrix) {
  thresh_data* data = NULL;
  CHECK(thresh_data_from_matrix(matrix, &data) == THRESH_OK);
  thresh_model* model = train(data, NULL, NULL);
  char* bytes = NULL;
  uint64_t size = 0;
  CHECK(thresh_model_to_bytes(model, &bytes, &size) == THRESH_OK);
  CHECK(size == all.expected_size && memcmp(bytes, all.expected, size) == 0);
  thresh_free(bytes);
  thresh_model_free(model);
}

static void all_layouts(void) {
  thresh_matrix matrix = csr();
  expect_model_of(&matrix);
  matrix.index_type = THRESH_INT64, matrix.starts = all.starts64, matrix.indices = all.indices64;
  expect_model_of(&matrix);
  matrix = csr(); /* the values are small fractions of two, so floats have them, too */
  matrix.value_type = THRESH_FLOAT32, matrix.values = all.narrow;
  expect_model_of(&matrix);
  matrix = csr();
  matrix.layout = THRESH_DENSE, matrix.values = all.dense;
  matrix.row_stride = (int64_t)(all.columns * sizeof(double)),
  matrix.column_stride = sizeof(double);
  expect_model_of(&matrix);
  matrix.values = all.dense_by_columns;
  matrix.row_stride = sizeof(double), matrix.column_stride = (int64_t)(all.rows * sizeof(double));
  expect_model_of(&matrix);
  /* Columns of a column-major array are compressed sparse columns if every value is an entry, zeros
   * included; zeros are not entries of a row. */
  matrix = csr();
  matrix.layout = THRESH_CSC, matrix.index_type = THRESH_INT64;
  int64_t* starts = room(all.columns + 1, sizeof(int64_t));
  int64_t* indices = room(all.entries, sizeof(int64_t));
  double* values = room(all.entries, sizeof(double));
  int64_t count = 0;
  for (uint64_t column = 0; column < all.columns; ++column) {
    for (uint64_t row = 0; row < all.rows; ++row) {
      const double value = all.dense_by_columns[column * all.rows + row];
      if (value == 0) continue;
      indices[count] = (int64_t)row;
      values[count++] = value;
    }
    starts[column + 1] = count;
  }
  matrix.starts = starts, matrix.indices = indices, matrix.values = values;
  expect_model_of(&matrix);
  free(starts), free(indices), free(values);
}

/* Batches of 100 rows. */
static int next_batch(void* context, thresh_matrix* batch) {
  static int32_t starts[101];
  uint64_t* row = context;
  if (*row >= all.rows) return 0;
  const uint64_t rows = all.rows - *row < 100 ? all.rows - *row : 100;
  *batch = csr();
  batch->rows = rows;
  for (uint64_t i = 0; i <= rows; ++i) starts[i] = all.starts[*row + i] - all.starts[*row];
  batch->starts = starts;
  batch->indices = all.indices + all.starts[*row];
  batch->values = all.values + all.starts[*row];
  batch->entries = (uint64_t)starts[rows];
  batch->labels = all.labels + *row;
  *row += rows;
  return 1;
}

static int failing_batch(void* context, thresh_matrix* batch) {
  (void)context, (void)batch;
  return -1;
}

static void batches(void) {
  uint64_t row = 0;
  thresh_data* data = NULL;
  CHECK(thresh_data_from_batches(next_batch, &row, &data) == THRESH_OK);
  thresh_model* model = train(data, NULL, NULL);
  char* bytes = NULL;
  uint64_t size = 0;
  CHECK(thresh_model_to_bytes(model, &bytes, &size) == THRESH_OK);
  CHECK(size == all.expected_size && memcmp(bytes, all.expected, size) == 0);
  thresh_free(bytes);
  thresh_model_free(model);
  CHECK(thresh_data_from_batches(failing_batch, NULL, &data) == THRESH_OK);
  CHECK(thresh_train(NULL, data, NULL, NULL, NULL, &model, NULL) == THRESH_BAD_INPUT);
  thresh_data_free(data);
}

static void predictions_agree(void) {
  thresh_model* model = NULL;
  CHECK(thresh_model_from_bytes(all.expected, all.expected_size, &model) == THRESH_OK);
  thresh_matrix matrix = csr();
  matrix.labels = NULL;
  thresh_data* data = NULL;
  CHECK(thresh_data_from_matrix(&matrix, &data) == THRESH_OK);
  for (int what = THRESH_LABEL; what <= THRESH_PROBABILITY; ++what) {
    double* numbers = NULL;
    uint64_t rows = 0, columns = 0;
    CHECK(thresh_predict(model, NULL, data, NULL, what, &numbers, &rows, &columns) == THRESH_OK);
    CHECK(rows == all.rows && columns == 1);
    for (uint64_t row = 0; row < rows; ++row) {
      uint64_t indices[4096];
      const uint64_t count = (uint64_t)(all.starts[row + 1] - all.starts[row]);
      for (uint64_t i = 0; i < count; ++i)
        indices[i] = (uint64_t)all.indices[all.starts[row] + (int32_t)i];
      double one = 0;
      CHECK(thresh_predict_row(model, count, indices, all.values + all.starts[row], what, &one) ==
            THRESH_OK);
      CHECK(one == numbers[row]);
    }
    thresh_free(numbers);
  }
  thresh_data_free(data);
  matrix.labels = all.labels;
  CHECK(thresh_data_from_matrix(&matrix, &data) == THRESH_OK);
  char* report = NULL;
  CHECK(thresh_evaluate(model, NULL, data, NULL, &report) == THRESH_OK);
  CHECK(strstr(report, "\"auc\"") != NULL);
  thresh_free(report);
  double intercept = 0, weight = 0;
  uint64_t count = 0;
  const uint64_t* indices = NULL;
  const double* weights = NULL;
  CHECK(thresh_model_parts(model) == 1);
  CHECK(thresh_model_weights(model, 0, &intercept, &count, &indices, &weights) == THRESH_OK);
  CHECK(count > 0 && isfinite(intercept));
  CHECK(thresh_model_weight(model, 0, indices[0], &weight) == THRESH_OK && weight == weights[0]);
  CHECK(thresh_model_weight(model, 0, 1u << 30, &weight) == THRESH_OK && weight == 0);
  CHECK(thresh_model_weights(model, 1, &intercept, &count, &indices, &weights) == THRESH_BAD_USAGE);
  thresh_data_free(data);
  thresh_model_free(model);
}

static void refuses(thresh_matrix matrix, const char* name, const char* value,
                    const char* message) {
  thresh_settings* settings = NULL;
  thresh_data* data = NULL;
  thresh_model* model = NULL;
  CHECK(thresh_settings_new(&settings) == THRESH_OK);
  if (name != NULL) CHECK(thresh_settings_set(settings, name, value) == THRESH_OK);
  CHECK(thresh_data_from_matrix(&matrix, &data) == THRESH_OK);
  CHECK(thresh_train(settings, data, NULL, NULL, NULL, &model, NULL) == THRESH_BAD_USAGE);
  if (strcmp(thresh_error(), message) != 0) {
    fprintf(stderr, "expected: %s\ngot:      %s\n", message, thresh_error());
    exit(1);
  }
  CHECK(model == NULL);
  thresh_data_free(data);
  thresh_settings_free(settings);
}

static void errors(void) {
  refuses(csr(), "features", "many", "--features: 'many' is not a finite number");
  refuses(csr(), "lambada", "1", "budget has no option lambada (did you mean lambda?)");
  refuses(csr(), "format", "csv", "--format applies to files, not to arrays");
  refuses(csr(), "ngrams", "1:2", "--ngrams applies only to texts");
  thresh_matrix matrix = csr();
  matrix.labels = NULL;
  refuses(matrix, NULL, NULL, "rows to learn from need labels");
  matrix = csr();
  matrix.entries = 1;
  char expected[200];
  snprintf(expected, sizeof expected, "matrix: starts ends with %llu, but there are 1 entries",
           (unsigned long long)all.entries);
  refuses(matrix, NULL, NULL, expected);
  const double before = all.values[all.starts[3]];
  all.values[all.starts[3]] = NAN;
  snprintf(expected, sizeof expected, "row 3: value of feature %d is not finite",
           all.indices[all.starts[3]]);
  refuses(csr(), NULL, NULL, expected);
  all.values[all.starts[3]] = before;
  matrix = csr();
  matrix.size = 8;
  thresh_data* data = NULL;
  CHECK(thresh_data_from_matrix(&matrix, &data) == THRESH_BAD_USAGE);
  thresh_model* model = NULL;
  CHECK(thresh_model_load("/no/such/file", &model) == THRESH_BAD_INPUT);
  CHECK(strstr(thresh_error(), "/no/such/file") != NULL);
  CHECK(thresh_model_from_bytes("x", 1, &model) == THRESH_BAD_INPUT);
}

static int stop_at_once(void* context, const thresh_progress* progress) {
  ++*(int*)context;
  return progress->doing != NULL;
}

static void stopping(void) {
  int calls = 0;
  thresh_call* call = NULL;
  thresh_data* data = NULL;
  thresh_model* model = NULL;
  const thresh_matrix matrix = csr();
  CHECK(thresh_call_new(stop_at_once, NULL, &calls, &call) == THRESH_OK);
  CHECK(thresh_data_from_matrix(&matrix, &data) == THRESH_OK);
  CHECK(thresh_train(NULL, data, NULL, NULL, call, &model, NULL) == THRESH_STOPPED);
  CHECK(calls >= 1);
  thresh_call_free(call);
  CHECK(thresh_call_new(NULL, NULL, NULL, &call) == THRESH_OK);
  thresh_call_stop(call);
  CHECK(thresh_train(NULL, data, NULL, NULL, call, &model, NULL) == THRESH_STOPPED);
  thresh_call_free(call);
  thresh_data_free(data);
}

static void many_models(void) {
  thresh_data* data = NULL;
  const thresh_matrix matrix = csr();
  CHECK(thresh_data_from_matrix(&matrix, &data) == THRESH_OK);
  thresh_settings* settings = NULL;
  CHECK(thresh_settings_new(&settings) == THRESH_OK);
  CHECK(thresh_settings_set(settings, "budgets", "2,5") == THRESH_OK);
  thresh_model** models = NULL;
  uint64_t count = 0;
  char* report = NULL;
  CHECK(thresh_frontier(settings, data, NULL, NULL, &models, &count, &report) == THRESH_OK);
  CHECK(count == 2 && strstr(report, "\"points\"") != NULL);
  for (uint64_t i = 0; i < count; ++i) thresh_model_free(models[i]);
  thresh_free(models), thresh_free(report), thresh_settings_free(settings);
  CHECK(thresh_settings_new(&settings) == THRESH_OK);
  CHECK(thresh_settings_set(settings, "features", "3") == THRESH_OK);
  CHECK(thresh_settings_set(settings, "folds", "3") == THRESH_OK);
  CHECK(thresh_cv(settings, data, NULL, &report) == THRESH_OK);
  CHECK(strstr(report, "\"trials\"") != NULL);
  thresh_free(report), thresh_settings_free(settings), thresh_data_free(data);
  char* described = NULL;
  CHECK(thresh_describe(&described) == THRESH_OK && strstr(described, "\"solvers\"") != NULL);
  thresh_free(described);
  double values[] = {3, -1}, theta = 0;
  CHECK(thresh_project("l1-ball", values, 2, 2, &theta) == THRESH_OK);
  CHECK(values[0] == 2 && values[1] == 0 && theta == 1);
  CHECK(thresh_project("box", values, 2, 2, NULL) == THRESH_BAD_USAGE);
}

static void texts(void) {
  const char* const words[] = {"cheap watches", "hello\nfriend", "cheap pills", "hello there"};
  const uint64_t lengths[] = {13, 12, 11, 11};
  const double labels[] = {1, 0, 1, 0};
  const char* const names[] = {"ham", "spam"};
  thresh_data* data = NULL;
  CHECK(thresh_data_from_texts(words, lengths, 4, labels, names, 2, &data) == THRESH_OK);
  thresh_model* model = train(data, "features", "2");
  double label = 0, weight = 0;
  CHECK(thresh_predict_line(model, "cheap", 5, THRESH_LABEL, &label) == THRESH_OK && label == 1);
  CHECK(thresh_model_weight_of(model, 0, "cheap", &weight) == THRESH_OK && weight > 0);
  thresh_model_free(model);
}

int main(int argc, char** argv) {
  CHECK(argc == 3 && thresh_abi() == THRESH_ABI);
  read_rows(argv[1]);
  read_expected(argv[2]);
  all_layouts();
  batches();
  predictions_agree();
  errors();
  stopping();
  many_models();
  texts();
  return 0;
}
