/* The C interface of thresh: libthresh.so.0. docs/c.md has a complete example.
 *
 * Functions return THRESH_OK or an error code; thresh_error() has the message. Outputs are set only on
 * success. Pointers to handles that were not said to be NULL must be valid. Strings are UTF-8 and end
 * with a zero. JSON objects may get more members in later versions, never fewer.
 *
 * Threads: different handles may be used at once. A thresh_model may be shared by threads that only
 * read it. Results never depend on the number of threads. */
#ifndef THRESH_THRESH_H
#define THRESH_THRESH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define THRESH_API __attribute__((visibility("default")))
#else
#define THRESH_API
#endif

/* Raised by one whenever functions or members are added; thresh_abi() is that of the library. A
 * change that breaks programs changes the name of the library. */
#define THRESH_ABI 4
THRESH_API int thresh_abi(void);
THRESH_API const char* thresh_version(void); /* such as "0.2.0" */

enum {
  THRESH_OK = 0,
  THRESH_BAD_INPUT = 1, /* data, a file or a model is bad, or a system call failed */
  THRESH_BAD_USAGE = 2, /* arguments or options are invalid */
  THRESH_STOPPED = 3,   /* stopped before there was a result */
  THRESH_NO_MEMORY = 4,
  THRESH_INTERNAL = 5
};
/* The message of the last error in this thread, one line; "" before the first one. Valid until the
 * next call in this thread. */
THRESH_API const char* thresh_error(void);
/* Frees memory that a function has returned; NULL is allowed. */
THRESH_API void thresh_free(void* memory);

/* A JSON object of everything that can be set: "options" (of all solvers), "reading" (of files and
 * arrays) and "solvers", each with its own options. */
THRESH_API int thresh_describe(char** json);

/* ---- Settings: options by the names and values of `thresh train`, without dashes ---- */

typedef struct thresh_settings thresh_settings;
THRESH_API int thresh_settings_new(thresh_settings** settings);
THRESH_API void thresh_settings_free(thresh_settings* settings);
/* Flags are "true" or "false". Names and values are checked when the settings are used. */
THRESH_API int thresh_settings_set(thresh_settings* settings, const char* name, const char* value);

/* ---- Data: rows to learn from or to predict. Nothing is read before it is used ---- */

typedef struct thresh_data thresh_data;
THRESH_API void thresh_data_free(thresh_data* data);

enum { THRESH_DENSE = 0, THRESH_CSR = 1, THRESH_CSC = 2 };
enum { THRESH_FLOAT64 = 0, THRESH_FLOAT32 = 1 };
enum { THRESH_INT32 = 0, THRESH_INT64 = 1 };

/* Arrays of the caller, which must live, unchanged, as long as the thresh_data. They are not copied,
 * except THRESH_CSC, whose rows are collected first. Set everything to zero first. */
typedef struct thresh_matrix {
  uint64_t size; /* sizeof(thresh_matrix) */
  uint64_t rows, columns;
  int32_t layout, value_type, index_type;
  int32_t reserved;
  const void* values;
  uint64_t entries;                  /* sparse: the length of values and indices */
  const void* starts;                /* sparse: rows + 1 numbers (csc: columns + 1), the first is 0 */
  const void* indices;               /* sparse: ascending within a row (csc: column), each once */
  int64_t row_stride, column_stride; /* dense, in bytes; may be negative */
  const double* labels;              /* one for each row; NULL to predict */
  const double* weights;             /* relative row weights, at least 0; NULL: all equal */
  const char* const* label_names;    /* words for labels 0, 1, ...; NULL: labels are numbers */
  uint64_t label_name_count;
  const char* const* feature_names; /* one for each column; NULL: features have no names */
} thresh_matrix;
THRESH_API int thresh_data_from_matrix(const thresh_matrix* matrix, thresh_data** data);

/* A file in a format of `thresh train`, a folder of texts, or a cache. */
THRESH_API int thresh_data_from_path(const char* path, thresh_data** data);

/* Rows that come in batches. The function fills in the matrix, whose arrays must live until the next
 * call, and returns 1; 0 at the end; anything else stops with an error. It is called from the start
 * for each use of the data, which can therefore be used once. Labels may be NULL to predict. */
typedef int (*thresh_next_batch)(void* context, thresh_matrix* batch);
THRESH_API int thresh_data_from_batches(thresh_next_batch next, void* context, thresh_data** data);

/* A table by the Arrow C stream interface, as pandas, polars, pyarrow, DuckDB and others export it. The
 * structures are those of the published ABI. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif
/* The cells count as those of a csv file with the same content, see docs/c.md; the settings of tables
 * apply. The stream is read to its end here and released in any case. Its arrays are held, and read where
 * they are, until the thresh_data is freed. `labels` and `weights` are copied; they have `rows` numbers, as
 * many as the stream has rows; NULL: columns of the table have them. */
THRESH_API int thresh_data_from_arrow(struct ArrowArrayStream* stream, uint64_t rows,
                                      const double* labels, const double* weights,
                                      const char* const* label_names, uint64_t label_name_count,
                                      thresh_data** data);

/* Raw texts of the given lengths in bytes; they are copied. Labels and names as above. */
THRESH_API int thresh_data_from_texts(const char* const* texts, const uint64_t* lengths, uint64_t count,
                                      const double* labels, const char* const* label_names,
                                      uint64_t label_name_count, thresh_data** data);
/* Gives texts relative weights, at least 0, which are copied. Other data come with theirs. */
THRESH_API int thresh_data_set_weights(thresh_data* data, const double* weights, uint64_t rows);

/* ---- Watching and stopping a call ---- */

typedef struct thresh_progress {
  const char* doing;
  double share;      /* of the work that is done, 0 to 1; negative if unknown */
  uint64_t rows;     /* seen so far, 0 if that is not counted */
  uint64_t pass;     /* from 1; 0 if there are none */
  uint64_t nonzeros; /* weights that are not zero */
} thresh_progress;

typedef struct thresh_call thresh_call;
/* `on_progress` is called about ten times per second; if it returns anything but 0, the call stops.
 * `on_message` receives warnings and notes. Both may be NULL. They may be called from other threads,
 * one at a time. */
THRESH_API int thresh_call_new(int (*on_progress)(void* context, const thresh_progress* progress),
                               void (*on_message)(void* context, const char* message), void* context,
                               thresh_call** call);
/* Stops the functions that were given this call. Any thread and any signal handler may do that. */
THRESH_API void thresh_call_stop(thresh_call* call);
THRESH_API void thresh_call_free(thresh_call* call);

/* ---- Training ---- */

typedef struct thresh_model thresh_model;

/* What `thresh train` does, with the same result: without "features" or "density" it chooses the
 * size. `settings`, `valid` (rows to validate on), `start` (a model to continue from), `call` and
 * `report` may be NULL. The report is a JSON object: status, summary, options, warnings, and how the
 * size was chosen. A run that is stopped after its first rows returns the model so far, with the
 * status "stopped". */
THRESH_API int thresh_train(const thresh_settings* settings, const thresh_data* data,
                            const thresh_data* valid, const thresh_model* start, thresh_call* call,
                            thresh_model** model, char** report);

/* One model for every number of features: "budgets" such as "10,100,5%" and "solvers" are settings
 * here. The report has the points of each solver; its models come in the same order. Free each of
 * them, and the array with thresh_free(). `models` and `count` may be NULL. */
THRESH_API int thresh_frontier(const thresh_settings* settings, const thresh_data* data,
                               const thresh_data* valid, thresh_call* call, thresh_model*** models,
                               uint64_t* count, char** report);
/* One model for each value of an option: settings "over" and "values", or "from", "to" and "count". */
THRESH_API int thresh_path(const thresh_settings* settings, const thresh_data* data,
                           const thresh_data* valid, thresh_call* call, thresh_model*** models,
                           uint64_t* count, char** report);
/* Cross-validation of the settings; setting "folds", by default 5. */
THRESH_API int thresh_cv(const thresh_settings* settings, const thresh_data* data, thresh_call* call,
                         char** report);
/* Chooses options on held-out rows: settings "grid", "search", "candidates", "cv", "by", "one-se". */
THRESH_API int thresh_tune(const thresh_settings* settings, const thresh_data* data,
                           const thresh_data* valid, thresh_call* call, thresh_model** model,
                           char** report);
/* What the numbers in the data will do to a learner: "parts", each with a name, a text, and its figures
 * as JSON text. Setting "only" names some of them. */
THRESH_API int thresh_diagnose(const thresh_settings* settings, const thresh_data* data,
                               thresh_call* call, char** report);

/* What `thresh cache` does: writes the parsed rows of a file or folder, read by the settings, to a
 * file that thresh_data_from_path() takes and that is read many times faster than text. The report
 * has "rows", "bad_rows", "dimension", "text_bytes" and "bytes". */
THRESH_API int thresh_cache_write(const thresh_settings* settings, const char* data_path,
                                  const char* cache_path, thresh_call* call, char** report);

/* ---- Models ---- */

THRESH_API void thresh_model_free(thresh_model* model);
THRESH_API int thresh_model_load(const char* path, thresh_model** model);
THRESH_API int thresh_model_save(const thresh_model* model, const char* path);
/* The content of the model file. Free it with thresh_free(). */
THRESH_API int thresh_model_to_bytes(const thresh_model* model, char** bytes, uint64_t* size);
THRESH_API int thresh_model_from_bytes(const void* bytes, uint64_t size, thresh_model** model);
/* Formats: "c", "javascript", "json", "liblinear", "onnx", "python", "sql". */
THRESH_API int thresh_model_export(const thresh_model* model, const char* format, const char* path);
/* Task, solver, labels, dimension, number of classes, options, summary, certificate. */
THRESH_API int thresh_model_info(const thresh_model* model, char** json);

/* A model of two classes or of numbers has one part. One of more classes has a part for each, by
 * ascending label. The arrays live as long as the model. */
THRESH_API uint64_t thresh_model_parts(const thresh_model* model);
THRESH_API int thresh_model_weights(const thresh_model* model, uint64_t part, double* intercept,
                                    uint64_t* count, const uint64_t** indices, const double** weights);
/* The name of a feature with a weight; "" if it has none or no weight. Lives as long as the model. */
THRESH_API int thresh_model_name(const thresh_model* model, uint64_t part, uint64_t index,
                                 const char** name);
/* 0 for features that the model does not have. */
THRESH_API int thresh_model_weight(const thresh_model* model, uint64_t part, uint64_t index,
                                   double* weight);
THRESH_API int thresh_model_weight_of(const thresh_model* model, uint64_t part, const char* name,
                                      double* weight);

/* ---- Prediction ---- */

enum {
  THRESH_LABEL = 0,      /* one number: the label, or the value for regression */
  THRESH_MARGIN = 1,     /* <w,x> + intercept: one for each part */
  THRESH_PROBABILITY = 2 /* two classes: of the positive one; more: one for each part */
};
/* Predicts all rows of the data, rows x columns numbers in row order. Free them with thresh_free(). */
THRESH_API int thresh_predict(const thresh_model* model, const thresh_settings* settings,
                              const thresh_data* data, thresh_call* call, int what, double** numbers,
                              uint64_t* rows, uint64_t* columns);
/* One row; `numbers` has room for one number, or one for each part, see above. */
THRESH_API int thresh_predict_row(const thresh_model* model, uint64_t count, const uint64_t* indices,
                                  const double* values, int what, double* numbers);
/* A line of the data file without its label, or a text, see docs/c.md. */
THRESH_API int thresh_predict_line(const thresh_model* model, const char* line, uint64_t length,
                                   int what, double* numbers);
/* The figures of `thresh eval` as a JSON object; the data must have labels. */
THRESH_API int thresh_evaluate(const thresh_model* model, const thresh_settings* settings,
                               const thresh_data* data, thresh_call* call, char** report);
/* Checks a certificate against the training rows: a JSON object with "holds" and "checks". */
THRESH_API int thresh_verify(const thresh_model* model, const thresh_settings* settings,
                             const thresh_data* data, thresh_call* call, char** report);

/* ---- Pages and projections ---- */

/* One HTML page of files that thresh has written. */
THRESH_API int thresh_report_page(const char* const* paths, uint64_t count, const char* title,
                                  char** html);
/* In place onto the "simplex", the "l1-ball" or the "nonnegative-l1-ball". `theta` may be NULL. */
THRESH_API int thresh_project(const char* onto, double* values, uint64_t count, double radius,
                              double* theta);
THRESH_API int thresh_project_weighted(double* values, const double* weights, uint64_t count,
                                       double radius, double* theta);

#ifdef __cplusplus
}
#endif

#endif
