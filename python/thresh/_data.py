"""Python's data as handles of rows, without copies where there need be none."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_char_p, c_uint64, c_void_p
from typing import Any, Iterable, Iterator, Optional, Sequence

import numpy as np
import scipy.sparse

from . import _library as lib
from ._library import CSC, CSR, DENSE, Handle, Matrix, UsageError, check, library
from ._tables import is_plain, is_table, table_handle


class Rows:
    """Rows to learn from or to predict, and what they refer to."""

    def __init__(self, handle: Handle, held: Any, names: Optional[list[str]] = None,
                 columns: Optional[int] = None) -> None:
        self.handle = handle
        self.held = held  # arrays that the handle points into
        self.names = names
        self.columns = columns
        self.words: "list[str]" = []  # for the labels 0, 1, ...

    def raise_error_of_iterator(self) -> None:
        """What an iterator of batches has raised, which C cannot hand on."""
        if isinstance(self.held, dict) and self.held["error"] is not None:
            raise self.held["error"]


def is_path(x: Any) -> bool:
    return isinstance(x, (str, os.PathLike))


def is_texts(x: Any) -> bool:
    """Whether it is a list, an array or a column with strings: then all must be strings."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "U":
        return x.ndim == 1 and x.size > 0
    if isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.dtype == object and x.ndim == 1):
        return any(isinstance(text, str) for text in x)
    if type(x).__name__ == "Series":
        return is_texts(np.asarray(x))
    return False


def codes_of(labels: Any, words: Sequence[str]) -> np.ndarray:
    """The numbers of labels among the words, in whatever order these are."""
    given, known = np.asarray(labels).astype(str), np.array(words)
    order = np.argsort(known)
    codes = order[np.minimum(np.searchsorted(known, given, sorter=order), len(words) - 1)]
    unknown = known[codes] != given
    if np.any(unknown):
        raise UsageError(f"the label {str(given[unknown][0])!r} is none of those learned from: {', '.join(words)}")
    return codes.astype(np.float64)


def is_batches(x: Any) -> bool:
    return isinstance(x, Iterator) and not is_table(x)  # pyarrow's readers are both


def _vector(numbers: Any, rows: int, what: str) -> Optional[np.ndarray]:
    if numbers is None:
        return None
    vector = np.ascontiguousarray(numbers, dtype=np.float64)
    if vector.ndim != 1 or len(vector) != rows:
        raise UsageError(f"{what} has shape {vector.shape}, but there are {rows} rows")
    return vector


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def column_names(x: Any) -> Optional[list[str]]:
    """Names of the columns of a data frame, if all are strings."""
    columns = getattr(x, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return names if all(isinstance(name, str) for name in names) else None


def _is_sparse_frame(x: Any) -> bool:
    types = list(x.dtypes) if is_table(x) and hasattr(x, "sparse") else []
    return len(types) > 0 and all(type(each).__name__ == "SparseDtype" for each in types)


def as_matrix(x: Any) -> Any:
    """A numpy or scipy matrix of float32 or float64; copied only if its type must change."""
    if scipy.sparse.issparse(x):
        if x.format not in ("csr", "csc"):
            x = x.tocsr()
        if not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()
        if x.dtype not in (np.float32, np.float64):
            if np.issubdtype(x.dtype, np.complexfloating):
                raise UsageError("Complex data not supported")
            x = x.astype(np.float64)
        return x
    if np.ma.is_masked(x):
        raise UsageError("the array has masked values; fill them first")
    if _is_sparse_frame(x):
        return as_matrix(x.sparse.to_coo())
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise UsageError(f"not a matrix, a table, texts or a path: {error}") from None
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise UsageError(f"not all values are numbers: {error}") from None
    if array.ndim != 2:
        raise UsageError(f"Expected 2D array, got an array of shape {array.shape}. Reshape your data.")
    if np.issubdtype(array.dtype, np.complexfloating):
        raise UsageError("Complex data not supported")
    if array.dtype.kind not in "fiub":
        raise UsageError(f"values of type {array.dtype} are not numbers")
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        array = array.astype(np.float64)
    return array


def fill(x: Any, y: Any, weights: Any, label_names: Sequence[str], names: Optional[list[str]],
         matrix: Matrix) -> Any:
    """Describes arrays in `matrix`, and returns what must live as long."""
    x = as_matrix(x)
    rows, columns = x.shape
    ctypes.memset(ctypes.byref(matrix), 0, ctypes.sizeof(Matrix))
    matrix.size = ctypes.sizeof(Matrix)
    matrix.rows, matrix.columns = rows, columns
    held: list[Any] = [x]
    if scipy.sparse.issparse(x):
        indptr, indices, values = x.indptr, x.indices, x.data
        if len(indptr) != (rows if x.format == "csr" else columns) + 1 or len(indices) != len(values):
            raise UsageError("a sparse matrix whose arrays do not belong together: indptr has one number more than "
                             "there are rows (columns if csc), indices and data are as long as each other")
        if indptr.dtype != indices.dtype or indices.dtype not in (np.int32, np.int64):
            indptr, indices = indptr.astype(np.int64), indices.astype(np.int64)
        indptr, indices, values = (np.ascontiguousarray(a) for a in (indptr, indices, values))
        held += [indptr, indices, values]
        matrix.layout = CSR if x.format == "csr" else CSC
        matrix.index_type = 0 if indices.dtype == np.int32 else 1
        matrix.starts, matrix.indices, matrix.values = (_address(a) for a in (indptr, indices, values))
        matrix.entries = len(values)
        matrix.value_type = 1 if values.dtype == np.float32 else 0
    else:
        matrix.layout = DENSE
        matrix.values = _address(x)
        matrix.row_stride, matrix.column_stride = x.strides
        matrix.value_type = 1 if x.dtype == np.float32 else 0
    for name, numbers in (("labels", _vector(y, rows, "y")),
                          ("weights", _vector(weights, rows, "sample_weight"))):
        if numbers is not None:
            held.append(numbers)
            setattr(matrix, name, _address(numbers))
    if len(label_names) > 0:
        matrix.label_names = lib.strings(label_names)
        matrix.label_name_count = len(label_names)
        held.append(matrix.label_names)
    if names is not None:
        matrix.feature_names = lib.strings(names)
        held.append(matrix.feature_names)
    return held


def from_matrix(x: Any, y: Any = None, weights: Any = None, label_names: Sequence[str] = (),
                names: Optional[list[str]] = None) -> Rows:
    if names is None:
        names = column_names(x)
    matrix, pointer = Matrix(), c_void_p()
    held = fill(x, y, weights, label_names, names, matrix)
    check(library.thresh_data_from_matrix(byref(matrix), byref(pointer)))
    return Rows(Handle(pointer, library.thresh_data_free), held, names, int(matrix.columns))


def from_table(x: Any, y: Any = None, weights: Any = None, label_names: Sequence[str] = ()) -> Rows:
    labels = None if y is None else np.ascontiguousarray(y, dtype=np.float64)
    others = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    for what, vector in (("y", labels), ("sample_weight", others)):
        if vector is not None and vector.ndim != 1:
            raise UsageError(f"{what} has shape {vector.shape}, but must have one number for each row")
    if labels is not None and others is not None and len(labels) != len(others):
        raise UsageError(f"y has {len(labels)} rows, sample_weight {len(others)}")
    return Rows(table_handle(x, labels, others, label_names), None)


def from_path(path: Any) -> Rows:
    pointer = c_void_p()
    check(library.thresh_data_from_path(os.fsencode(path), byref(pointer)))
    return Rows(Handle(pointer, library.thresh_data_free), None)


def from_texts(texts: Sequence[str], y: Any = None, label_names: Sequence[str] = (), weights: Any = None) -> Rows:
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise UsageError(f"text {i} is not a string: {text!r}")
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    count = len(encoded)
    array = (c_char_p * max(1, count))(*encoded)
    lengths = (c_uint64 * max(1, count))(*[len(text) for text in encoded])
    labels = _vector(y, count, "y")
    pointer = c_void_p()
    check(library.thresh_data_from_texts(
        array, lengths, count, None if labels is None else _address(labels),
        lib.strings(label_names) if len(label_names) > 0 else None, len(label_names), byref(pointer)))
    handle = Handle(pointer, library.thresh_data_free)
    each = _vector(weights, count, "sample_weight")
    if each is not None:
        check(library.thresh_data_set_weights(handle, _address(each), count))
    return Rows(handle, None)


def from_batches(batches: Iterable[Any]) -> Rows:
    """Batches (X, y) or (X, y, sample_weight), or X alone to predict."""
    iterator = iter(batches)
    rows = Rows(Handle(c_void_p(), library.thresh_data_free), None)
    state: dict[str, Any] = {"error": None}
    rows.held = state

    def next_batch(_: Any, out: Any) -> int:
        try:
            batch = next(iterator, None)
            if batch is None:
                return 0
            x, y, weights = (*batch, None, None)[:3] if isinstance(batch, tuple) else (batch, None, None)
            state["batch"] = fill(x, y, weights, (), None, out.contents)
            rows.columns = int(out.contents.columns)
            return 1
        except BaseException as error:  # it must not be lost in C
            state["error"] = error
            return -1

    callback = lib.NEXT_BATCH(next_batch)
    state["callback"] = callback
    pointer = c_void_p()
    check(library.thresh_data_from_batches(callback, None, byref(pointer)))
    rows.handle = Handle(pointer, library.thresh_data_free)
    return rows


def rows_of(x: Any, y: Any = None, weights: Any = None, label_names: Sequence[str] = (),
            names: Optional[list[str]] = None, as_table: Optional[bool] = None) -> Rows:
    """Rows of a path, texts, batches, a table, or a matrix. `as_table` decides what a data frame of numbers is."""
    if isinstance(x, Rows):
        return x
    if is_path(x):
        if y is not None or weights is not None:
            raise UsageError("the labels and weights of a file are in the file; leave out y")
        return from_path(x)
    if is_texts(x):
        return from_texts(x, y, label_names, weights)
    if is_batches(x):
        if y is not None or weights is not None:
            raise UsageError("batches have labels and weights of their own; leave out y")
        return from_batches(x)
    if is_table(x) and (not is_plain(x) if as_table is None else as_table):
        return from_table(x, y, weights, label_names)
    return from_matrix(x, y, weights, label_names, names)
