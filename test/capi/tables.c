/* Tables by the Arrow C stream interface: a table in memory gives the model that its csv file
 * gives. */
#include <stdint.h>
#include <string.h>

#include "check.h"

/* A stream of two batches: two columns of numbers, one with missing cells; words; a dictionary. */
enum { TABLE_ROWS = 60, BATCH_ROWS = 30, TABLE_COLUMNS = 4 };
static const char* const kWords[] = {"red", "green, \"dark\"", "blue"};
static struct {
  double size[TABLE_ROWS], age[TABLE_ROWS];
  uint8_t age_there[TABLE_ROWS / 8 + 1];
  int32_t ends[TABLE_ROWS + 1], word_ends[4];
  char text[TABLE_ROWS * 16], words[64];
  int8_t codes[TABLE_ROWS];
  double labels[TABLE_ROWS];
  int batch, streams_released, arrays_released;
} table;

static void make_table(const char* csv) {
  FILE* file = fopen(csv, "w");
  CHECK(file != NULL);
  fprintf(file, "size,age,colour,kind,label\n");
  for (int w = 0; w < 3; ++w) {
    strcpy(table.words + table.word_ends[w], kWords[w]);
    table.word_ends[w + 1] = table.word_ends[w] + (int32_t)strlen(kWords[w]);
  }
  for (int i = 0; i < TABLE_ROWS; ++i) {
    const int word = i * 7 % 3, there = i % 7 != 0;
    table.size[i] = (i * 37 % 41) / 8.0, table.age[i] = i * 13 % 29;
    table.codes[i] = (int8_t)(i * 11 % 3);
    table.labels[i] = table.size[i] + word > 3.5 ? 1 : 0;
    if (there) table.age_there[i / 8] = (uint8_t)(table.age_there[i / 8] | (1 << i % 8));
    strcpy(table.text + table.ends[i], kWords[word]);
    table.ends[i + 1] = table.ends[i] + (int32_t)strlen(kWords[word]);
    fprintf(file, "%g,", table.size[i]);
    if (there) fprintf(file, "%g", table.age[i]);
    const char* const quoted[] = {"red", "\"green, \"\"dark\"\"\"", "blue"};
    fprintf(file, ",%s,%s,%s\n", quoted[word], quoted[table.codes[i]],
            table.labels[i] == 1 ? "yes" : "no");
  }
  fclose(file);
}

static void release_schema(struct ArrowSchema* schema) {
  schema->release = NULL;
}
static void release_array(struct ArrowArray* array) {
  ++table.arrays_released;
  array->release = NULL;
}
static void release_stream(struct ArrowArrayStream* stream) {
  ++table.streams_released;
  stream->release = NULL;
}
static int table_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  static struct ArrowSchema columns[TABLE_COLUMNS], words;
  static struct ArrowSchema* children[TABLE_COLUMNS];
  const char* const formats[] = {"g", "g", "u", "c"};
  const char* const names[] = {"size", "age", "colour", "kind"};
  (void)stream;
  for (int i = 0; i < TABLE_COLUMNS; ++i) {
    columns[i].format = formats[i], columns[i].name = names[i];
    children[i] = &columns[i];
  }
  words.format = "u";
  columns[3].dictionary = &words;
  memset(out, 0, sizeof *out);
  out->format = "+s", out->n_children = TABLE_COLUMNS, out->children = children;
  out->release = release_schema;
  return 0;
}
static int table_batch(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  enum { MOST = TABLE_ROWS / BATCH_ROWS };
  static struct ArrowArray all_columns[MOST][TABLE_COLUMNS], words;
  static struct ArrowArray* all_children[MOST][TABLE_COLUMNS];
  static const void* size[2];
  static const void* age[2];
  static const void* colour[3];
  static const void* kind[2];
  static const void* word[3];
  (void)stream;
  memset(out, 0, sizeof *out);
  if (table.batch == MOST) return 0;
  struct ArrowArray* const columns = all_columns[table.batch];
  struct ArrowArray** const children = all_children[table.batch];
  size[1] = table.size, age[0] = table.age_there, age[1] = table.age;
  colour[1] = table.ends, colour[2] = table.text;
  kind[1] = table.codes, word[1] = table.word_ends, word[2] = table.words;
  const void** const buffers[] = {size, age, colour, kind};
  for (int i = 0; i < TABLE_COLUMNS; ++i) {
    columns[i].length = BATCH_ROWS, columns[i].null_count = -1;
    columns[i].offset = table.batch * BATCH_ROWS, columns[i].buffers = buffers[i];
    children[i] = &columns[i];
  }
  words.length = 3, words.buffers = word;
  columns[3].dictionary = &words;
  out->length = BATCH_ROWS, out->n_children = TABLE_COLUMNS, out->children = children;
  out->release = release_array;
  ++table.batch;
  return 0;
}
static const char* stream_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return "no more";
}
static int failing_batch(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  (void)stream, (void)out;
  return 5;
}
static struct ArrowArrayStream table_stream(void) {
  struct ArrowArrayStream stream = {table_schema, table_batch, stream_error, release_stream, NULL};
  table.batch = 0;
  return stream;
}

int main(void) {
  const char* const label_names[] = {"no", "yes"};
  make_table("table.csv");
  thresh_settings* settings = NULL;
  CHECK(thresh_settings_new(&settings) == THRESH_OK);
  CHECK(thresh_settings_set(settings, "features", "3") == THRESH_OK);
  thresh_data *file = NULL, *memory = NULL, *rows = NULL;
  thresh_model *expected = NULL, *model = NULL;
  CHECK(thresh_data_from_path("table.csv", &file) == THRESH_OK);
  CHECK(thresh_train(settings, file, NULL, NULL, NULL, &expected, NULL) == THRESH_OK);
  struct ArrowArrayStream stream = table_stream();
  CHECK(thresh_data_from_arrow(&stream, TABLE_ROWS, table.labels, NULL, label_names, 2, &memory) ==
        THRESH_OK);
  CHECK(table.streams_released == 1 &&
        table.arrays_released == 0); /* they are read where they are */
  CHECK(thresh_train(settings, memory, NULL, NULL, NULL, &model, NULL) == THRESH_OK);
  char *bytes = NULL, *expected_bytes = NULL;
  uint64_t size = 0, expected_size = 0;
  CHECK(thresh_model_to_bytes(model, &bytes, &size) == THRESH_OK);
  CHECK(thresh_model_to_bytes(expected, &expected_bytes, &expected_size) == THRESH_OK);
  CHECK(size == expected_size && memcmp(bytes, expected_bytes, size) == 0);

  stream = table_stream();
  CHECK(thresh_data_from_arrow(&stream, 0, NULL, NULL, NULL, 0, &rows) == THRESH_OK);
  double *margins = NULL, *expected_margins = NULL;
  uint64_t count = 0, each = 0;
  CHECK(thresh_predict(expected, NULL, rows, NULL, THRESH_MARGIN, &margins, &count, &each) ==
        THRESH_OK);
  CHECK(count == TABLE_ROWS && each == 1);
  CHECK(thresh_predict(expected, NULL, file, NULL, THRESH_MARGIN, &expected_margins, &count,
                       &each) == THRESH_OK);
  CHECK(memcmp(margins, expected_margins, TABLE_ROWS * sizeof(double)) == 0);

  thresh_data* none = NULL;
  stream = table_stream();
  CHECK(thresh_data_from_arrow(&stream, 59, table.labels, NULL, label_names, 2, &none) ==
        THRESH_BAD_USAGE);
  CHECK(strcmp(thresh_error(), "59 labels or weights for 60 rows") == 0);
  stream = table_stream();
  stream.get_next = failing_batch;
  CHECK(thresh_data_from_arrow(&stream, 0, NULL, NULL, NULL, 0, &none) == THRESH_BAD_INPUT);
  CHECK(strcmp(thresh_error(), "the Arrow stream failed: no more") == 0);
  CHECK(table.streams_released == 4 && none == NULL);
  CHECK(thresh_settings_set(settings, "label", "age") == THRESH_OK);
  thresh_model* refused = NULL;
  CHECK(thresh_train(settings, memory, NULL, NULL, NULL, &refused, NULL) == THRESH_BAD_USAGE);
  double* again = NULL; /* labels beside the table do not matter */
  CHECK(thresh_predict(expected, NULL, memory, NULL, THRESH_MARGIN, &again, &count, &each) ==
        THRESH_OK);
  CHECK(memcmp(again, margins, TABLE_ROWS * sizeof(double)) == 0);

  thresh_free(margins), thresh_free(expected_margins), thresh_free(again);
  thresh_free(bytes), thresh_free(expected_bytes);
  thresh_model_free(model), thresh_model_free(expected);
  thresh_data_free(file), thresh_data_free(memory), thresh_data_free(rows);
  CHECK(table.arrays_released == 3 * TABLE_ROWS / BATCH_ROWS);
  thresh_settings_free(settings);
  return 0;
}
