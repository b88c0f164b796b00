/* What works for files works for data in memory: products of columns, weights of texts, batches to
 * predict. */
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { ROWS = 90, COLUMNS = 3 };
static double values[ROWS][COLUMNS], labels[ROWS];

static thresh_matrix rows_from(int first, int count) {
  static const char* const names[] = {"a", "b", "c"};
  thresh_matrix matrix;
  memset(&matrix, 0, sizeof matrix);
  matrix.size = sizeof matrix;
  matrix.rows = (uint64_t)count, matrix.columns = COLUMNS;
  matrix.layout = THRESH_DENSE;
  matrix.values = values[first], matrix.labels = labels + first;
  matrix.row_stride = sizeof values[0], matrix.column_stride = sizeof(double);
  matrix.feature_names = names;
  return matrix;
}

static int next_batch(void* context, thresh_matrix* batch) {
  int* const first = context;
  if (*first == ROWS) return 0;
  *batch = rows_from(*first, ROWS / 3);
  batch->labels = NULL;
  *first += ROWS / 3;
  return 1;
}

static thresh_model* trained(thresh_data* data, const char* name, const char* value) {
  thresh_settings* settings = NULL;
  thresh_model* model = NULL;
  CHECK(thresh_settings_new(&settings) == THRESH_OK);
  CHECK(thresh_settings_set(settings, "features", "1") == THRESH_OK);
  CHECK(name == NULL || thresh_settings_set(settings, name, value) == THRESH_OK);
  CHECK(thresh_train(settings, data, NULL, NULL, NULL, &model, NULL) == THRESH_OK);
  thresh_settings_free(settings);
  return model;
}

static void products_and_batches(void) {
  thresh_data *data = NULL, *batches = NULL;
  const thresh_matrix all = rows_from(0, ROWS);
  CHECK(thresh_data_from_matrix(&all, &data) == THRESH_OK);
  thresh_model* const model = trained(data, "interactions", "a:b");
  double intercept = 0, weight = 0;
  uint64_t count = 0;
  const uint64_t* indices = NULL;
  const double* weights = NULL;
  CHECK(thresh_model_weights(model, 0, &intercept, &count, &indices, &weights) == THRESH_OK);
  CHECK(count == 1 && indices[0] == COLUMNS);
  CHECK(thresh_model_weight_of(model, 0, "a*b", &weight) == THRESH_OK && weight == weights[0]);

  int first = 0;
  double *expected = NULL, *found = NULL;
  uint64_t rows = 0, each = 0;
  CHECK(thresh_data_from_batches(next_batch, &first, &batches) == THRESH_OK);
  CHECK(thresh_predict(model, NULL, data, NULL, THRESH_MARGIN, &expected, &rows, &each) ==
        THRESH_OK);
  CHECK(rows == ROWS && expected[1] == intercept + weight * (values[1][0] * values[1][1]));
  CHECK(thresh_predict(model, NULL, batches, NULL, THRESH_MARGIN, &found, &rows, &each) ==
        THRESH_OK);
  CHECK(rows == ROWS && each == 1 && memcmp(expected, found, sizeof labels) == 0);
  thresh_free(expected), thresh_free(found);
  thresh_model_free(model);
  thresh_data_free(data), thresh_data_free(batches);
}

/* Texts of weight 0 do not count, and a text of weight 2 counts twice. */
static void weights_of_texts(void) {
  const char* texts[ROWS];
  uint64_t lengths[ROWS];
  double text_labels[ROWS], text_weights[ROWS];
  for (int i = 0; i < ROWS; ++i) {
    texts[i] = i % 3 == 0 ? "red red" : i % 3 == 1 ? "red blue" : "green blue";
    lengths[i] = strlen(texts[i]);
    text_labels[i] = i % 3 != 2;
    text_weights[i] = i % 3 == 1 ? 0 : 2;
  }
  thresh_data *plain = NULL, *weighted = NULL;
  CHECK(thresh_data_from_texts(texts, lengths, ROWS, text_labels, NULL, 0, &plain) == THRESH_OK);
  CHECK(thresh_data_from_texts(texts, lengths, ROWS, text_labels, NULL, 0, &weighted) == THRESH_OK);
  CHECK(thresh_data_set_weights(weighted, text_weights, ROWS - 1) == THRESH_BAD_USAGE);
  CHECK(strcmp(thresh_error(), "89 weights for 90 rows") == 0);
  CHECK(thresh_data_set_weights(weighted, text_weights, ROWS) == THRESH_OK);
  thresh_model* const a = trained(plain, NULL, NULL);
  thresh_model* const b = trained(weighted, NULL, NULL);
  double without = 0, with = 0;
  CHECK(thresh_predict_line(a, "red", 3, THRESH_MARGIN, &without) == THRESH_OK);
  CHECK(thresh_predict_line(b, "red", 3, THRESH_MARGIN, &with) == THRESH_OK);
  CHECK(without != with);
  thresh_model_free(a), thresh_model_free(b);
  thresh_data_free(plain), thresh_data_free(weighted);
}

int main(void) {
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j) values[i][j] = (double)((i * 37 + j * 53) % 41 - 20) / 8;
    labels[i] = values[i][0] * values[i][1] > 0 ? 1 : -1;
  }
  products_and_batches();
  weights_of_texts();
  return 0;
}
