/* Trains on arrays with any settings, as a small program would, and saves the model.
 * Usage: options ROWS.csr MODEL [NAME VALUE ...]; ROWS.csr as for interface.c. Exits with the
 * code of the call, and prints its message. */
#include <stdio.h>
#include <stdlib.h>
#include <thresh/thresh.h>

#include "check.h"

static thresh_matrix read_rows(const char* path) {
  FILE* file = fopen(path, "r");
  CHECK(file != NULL);
  unsigned long long n = 0, p = 0, e = 0;
  CHECK(fscanf(file, "%llu %llu %llu", &n, &p, &e) == 3);
  int32_t *starts = room(n + 1, sizeof *starts), *indices = room(e, sizeof *indices);
  double *values = room(e, sizeof *values), *labels = room(n, sizeof *labels);
  for (uint64_t i = 0; i <= n; ++i) CHECK(fscanf(file, "%d", &starts[i]) == 1);
  for (uint64_t i = 0; i < e; ++i) CHECK(fscanf(file, "%d", &indices[i]) == 1);
  for (uint64_t i = 0; i < e; ++i) CHECK(fscanf(file, "%lf", &values[i]) == 1);
  for (uint64_t i = 0; i < n; ++i) CHECK(fscanf(file, "%lf", &labels[i]) == 1);
  fclose(file);
  return (thresh_matrix){.size = sizeof(thresh_matrix),
                         .rows = n,
                         .columns = p,
                         .entries = e,
                         .layout = THRESH_CSR,
                         .starts = starts,
                         .indices = indices,
                         .values = values,
                         .labels = labels};
}

static void forget(const thresh_matrix* matrix) {
  free((void*)(uintptr_t)matrix->starts), free((void*)(uintptr_t)matrix->indices);
  free((void*)(uintptr_t)matrix->values), free((void*)(uintptr_t)matrix->labels);
}

int main(int count, char** words) {
  CHECK(count >= 3 && count % 2 == 1);
  const thresh_matrix matrix = read_rows(words[1]);
  thresh_settings* settings = NULL;
  thresh_data* data = NULL;
  thresh_model* model = NULL;
  CHECK(thresh_settings_new(&settings) == THRESH_OK);
  for (int i = 3; i < count; i += 2) {
    CHECK(thresh_settings_set(settings, words[i], words[i + 1]) == THRESH_OK);
  }
  CHECK(thresh_data_from_matrix(&matrix, &data) == THRESH_OK);
  const int code = thresh_train(settings, data, NULL, NULL, NULL, &model, NULL);
  if (code == THRESH_OK) {
    CHECK(thresh_model_save(model, words[2]) == THRESH_OK);
  } else {
    puts(thresh_error());
  }
  thresh_model_free(model);
  thresh_data_free(data);
  thresh_settings_free(settings);
  forget(&matrix);
  return code;
}
