/* A cache of a file gives the model of the file. */
#include <string.h>

#include "check.h"

#define OK(call) CHECK((call) == THRESH_OK)

static void train(const char* path, char** bytes, uint64_t* size) {
  thresh_settings* settings = NULL;
  thresh_data* data = NULL;
  thresh_model* model = NULL;
  OK(thresh_settings_new(&settings));
  OK(thresh_settings_set(settings, "features", "4"));
  OK(thresh_settings_set(settings, "zero-based", "true"));
  OK(thresh_data_from_path(path, &data));
  OK(thresh_train(settings, data, NULL, NULL, NULL, &model, NULL));
  OK(thresh_model_to_bytes(model, bytes, size));
  thresh_model_free(model);
  thresh_data_free(data);
  thresh_settings_free(settings);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  thresh_settings* settings = NULL;
  char *report = NULL, *of_file = NULL, *of_cache = NULL;
  uint64_t file_size = 0, cache_size = 0;
  OK(thresh_settings_new(&settings));
  OK(thresh_settings_set(settings, "zero-based", "true"));
  OK(thresh_cache_write(settings, argv[1], "rows.cache", NULL, &report));
  CHECK(strstr(report, "\"rows\":1500") != NULL);
  CHECK(strstr(report, "\"bad_rows\":0") != NULL);
  thresh_free(report);
  train(argv[1], &of_file, &file_size);
  train("rows.cache", &of_cache, &cache_size);
  CHECK(file_size == cache_size && memcmp(of_file, of_cache, file_size) == 0);
  thresh_free(of_file);
  thresh_free(of_cache);

  CHECK(thresh_cache_write(settings, "no such file", "b.cache", NULL, NULL) == THRESH_BAD_INPUT);
  CHECK(thresh_cache_write(settings, argv[1], argv[1], NULL, NULL) == THRESH_BAD_USAGE);
  OK(thresh_settings_set(settings, "features", "4"));
  CHECK(thresh_cache_write(settings, argv[1], "b.cache", NULL, NULL) == THRESH_BAD_USAGE);
  CHECK(strstr(thresh_error(), "--features does not apply to caches") != NULL);
  FILE* file = fopen("b.cache", "r"); /* nothing was left */
  CHECK(file == NULL);
  thresh_settings_free(settings);
  return 0;
}
