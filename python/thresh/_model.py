"""Models: prediction, weights, files."""

from __future__ import annotations

import ctypes
import html
import os
from ctypes import byref, c_char_p, c_double, c_uint64, c_void_p
from typing import Any, Optional

import numpy as np
import scipy.sparse

from . import _library as lib
from ._data import Rows, codes_of, is_path, rows_of
from ._library import Handle, check, library, take_json
from ._tables import is_table


_KINDS = {"label": lib.LABEL, "margin": lib.MARGIN, "probability": lib.PROBABILITY}


class Model:
    """A sparse linear model. `train()` makes one, `Model.load()` reads one.

    >>> import numpy as np, thresh
    >>> x = np.array([[1.0, 0.0], [0.0, 2.0], [1.5, 0.0], [0.0, 1.0]])
    >>> model = thresh.train(x, [1, -1, 1, -1], features=1)
    >>> model.predict(x)
    array([ 1, -1,  1, -1])
    >>> len(model)
    1
    """

    def __init__(self, pointer: c_void_p, report: Any = None) -> None:
        self._handle = Handle(pointer, library.thresh_model_free)
        text = c_void_p()
        check(library.thresh_model_info(self._handle, byref(text)))
        self.info: dict[str, Any] = take_json(text)
        """Task, solver, labels, dimension, options and summary."""
        self._parts = int(library.thresh_model_parts(self._handle))
        classes = self.classes
        self._labels = None if classes is None else dict(zip(sorted(self.info["labels"]), classes.tolist()))
        self.report: Optional[dict[str, Any]] = report
        """How it was trained: status, warnings, how the size was chosen. None for a loaded model."""

    @classmethod
    def load(cls, path: "str | os.PathLike[str]") -> "Model":
        pointer = c_void_p()
        check(library.thresh_model_load(os.fsencode(path), byref(pointer)))
        return cls(pointer)

    @classmethod
    def from_bytes(cls, content: bytes) -> "Model":
        content, pointer = bytes(content), c_void_p()
        check(library.thresh_model_from_bytes(content, len(content), byref(pointer)))
        return cls(pointer)

    def save(self, path: "str | os.PathLike[str]") -> None:
        check(library.thresh_model_save(self._handle, os.fsencode(path)))

    def to_bytes(self) -> bytes:
        pointer, size = c_void_p(), c_uint64()
        check(library.thresh_model_to_bytes(self._handle, byref(pointer), byref(size)))
        try:
            return ctypes.string_at(pointer.value or 0, size.value)
        finally:
            library.thresh_free(pointer)

    def export(self, path: "str | os.PathLike[str]", format: str = "json") -> None:
        """Writes the model as c, javascript, json, liblinear, onnx, python or sql."""
        check(library.thresh_model_export(self._handle, format.encode(), os.fsencode(path)))

    def __reduce__(self) -> Any:
        return (_unpickle, (self.to_bytes(), self.report))

    @property
    def parts(self) -> int:
        """1, or the number of classes if there are more than two."""
        return self._parts

    @property
    def classes(self) -> Optional[np.ndarray]:
        """The labels, ascending; None for regression."""
        labels = self.info.get("labels")
        if labels is None:
            return None
        names = self.info["label_names"]
        if names:
            return np.array([names[int(label)] for label in sorted(labels)])
        numbers = np.array(sorted(labels))
        whole = np.all(numbers == np.floor(numbers)) and np.all(np.abs(numbers) < 2**53)
        return numbers.astype(np.int64) if whole else numbers

    @property
    def reads_tables(self) -> bool:
        """Whether it was trained on a table: of words, dates or missing values, or from a csv file."""
        return self.info["format"] in ("csv", "tsv")

    @property
    def interactions(self) -> "list[str]":
        """What products of features it was asked for."""
        return list(self.info["interactions"])

    def weights(self, part: int = 0) -> "tuple[np.ndarray, np.ndarray]":
        """Indices and weights of the features, by ascending index."""
        intercept, count = c_double(), c_uint64()
        indices, weights = c_void_p(), c_void_p()
        check(library.thresh_model_weights(self._handle, part, byref(intercept), byref(count),
                                           byref(indices), byref(weights)))
        n = count.value
        if n == 0:
            return np.zeros(0, np.int64), np.zeros(0)
        where = np.ctypeslib.as_array(ctypes.cast(indices, ctypes.POINTER(c_uint64)), (n,))
        what = np.ctypeslib.as_array(ctypes.cast(weights, ctypes.POINTER(c_double)), (n,))
        return where.astype(np.int64), what.copy()

    def intercept(self, part: int = 0) -> float:
        intercept, count = c_double(), c_uint64()
        check(library.thresh_model_weights(self._handle, part, byref(intercept), byref(count),
                                           byref(c_void_p()), byref(c_void_p())))
        return intercept.value

    def name(self, index: int, part: int = 0) -> str:
        """The name of a feature with a weight; "" if it has none."""
        name = c_char_p()
        check(library.thresh_model_name(self._handle, part, index, byref(name)))
        return (name.value or b"").decode("utf-8", "replace")

    def coef(self, columns: Optional[int] = None) -> scipy.sparse.csr_matrix:
        """The weights as a sparse matrix, parts x columns. Products of columns come behind the columns."""
        first = 0 if self.info["zero_based"] else 1
        parts = [self.weights(part) for part in range(self.parts)]
        starts = np.concatenate([[0], np.cumsum([len(where) for where, _ in parts])])
        where = np.concatenate([where - first for where, _ in parts])
        width = max(int(self.info["dimension"]), int(where.max()) + 1 if len(where) else 0)
        return scipy.sparse.csr_matrix((np.concatenate([what for _, what in parts]), where, starts),
                                       shape=(self.parts, max(columns or 0, width) if self.interactions else columns or width))

    def __len__(self) -> int:
        """The number of weights that are not zero."""
        return int(self.info["nonzeros"])

    def _numbers(self, x: Any, what: int, reading: Any) -> np.ndarray:
        rows: Rows = rows_of(x, as_table=self.reads_tables)
        settings = lib.settings(reading)
        numbers, count, columns = c_void_p(), c_uint64(), c_uint64()

        def work(call: Optional[Handle]) -> int:
            return int(library.thresh_predict(self._handle, settings, rows.handle, call, what, byref(numbers),
                                              byref(count), byref(columns)))

        try:
            # Files and tables may take long, so that Ctrl-C must end it. Batches come from the caller's code,
            # which ends by itself and may be bound to this thread, as a database cursor is.
            if is_path(x) or is_table(x):
                call = lib.Call(None, None)
                stopped = lib.run(call, lambda: work(call.handle))
                if stopped is not None:
                    library.thresh_free(numbers)
                    raise stopped
            else:
                check(work(None))
        except lib.Error:
            rows.raise_error_of_iterator()
            raise
        try:
            shape = (count.value, columns.value)
            pointer = ctypes.cast(numbers, ctypes.POINTER(c_double))
            return np.ctypeslib.as_array(pointer, shape).copy()
        finally:
            library.thresh_free(numbers)

    def predict(self, x: Any, **reading: Any) -> np.ndarray:
        """Labels, or values for regression, of a matrix, texts, a table, a path, or an iterator of matrices."""
        codes = self._numbers(x, lib.LABEL, reading)[:, 0]
        classes = self.classes
        if classes is None:
            return codes
        order = np.array(sorted(self.info["labels"]))
        return classes[np.searchsorted(order, codes)]

    def margin(self, x: Any, **reading: Any) -> np.ndarray:
        """<w, x> + intercept; one column for each class if there are more than two."""
        numbers = self._numbers(x, lib.MARGIN, reading)
        return numbers if self.parts > 1 else numbers[:, 0]

    def probability(self, x: Any, **reading: Any) -> np.ndarray:
        """One column for each of the classes, which ascend."""
        numbers = self._numbers(x, lib.PROBABILITY, reading)
        if self.parts > 1:
            return numbers
        both = np.hstack([1 - numbers, numbers])
        negative, positive = self.info["labels"]
        return both if negative < positive else both[:, ::-1]

    def predict_row(self, indices: Any, values: Any, what: str = "label") -> Any:
        """One sparse row, in microseconds: the label, the margin or the probability."""
        kind = _KINDS.get(what)
        if kind is None:
            raise lib.UsageError(f"what is {what!r}, but must be label, margin or probability")
        try:
            where = np.ascontiguousarray(indices, dtype=np.uint64)
        except OverflowError:
            raise lib.UsageError("indices must not be negative") from None
        value = np.ascontiguousarray(values, dtype=np.float64)
        if where.shape != value.shape:
            raise lib.UsageError(f"{where.size} indices, but {value.size} values")
        out = (c_double * self._parts)()
        try:
            check(library.thresh_predict_row(self._handle, where.size, where.__array_interface__["data"][0],
                                             value.__array_interface__["data"][0], kind, out))
        except lib.UsageError:
            if np.min(indices) < 0:  # numpy 1 makes large numbers of them
                raise lib.UsageError("indices must not be negative") from None
            raise
        if kind == lib.LABEL:
            return out[0] if self._labels is None else self._labels[out[0]]
        return out[0] if self._parts == 1 else np.array(out)

    def evaluate(self, x: Any, y: Any = None, sample_weight: Any = None, **reading: Any) -> Any:
        """The figures of `thresh eval` as a dictionary."""
        names = self.info.get("label_names") or []
        if y is not None and names:
            y = codes_of(y, names)
        rows = rows_of(x, y, sample_weight, names, as_table=self.reads_tables)
        settings, text = lib.settings(reading), c_void_p()
        check(library.thresh_evaluate(self._handle, settings, rows.handle, None, byref(text)))
        return take_json(text)

    def strongest(self, count: int = 10, part: int = 0) -> "list[tuple[str, float]]":
        """Names, or numbers as text, and weights of the strongest features."""
        where, what = self.weights(part)
        order = np.argsort(-np.abs(what), kind="stable")[:count]
        return [(self.name(int(where[i]), part) or str(where[i]), float(what[i])) for i in order]

    def __repr__(self) -> str:
        return (f"<thresh.Model: {self.info['task']}, {len(self)} of {self.info['dimension']} features, "
                f"solver {self.info['solver']}>")

    def _repr_html_(self) -> str:
        error = self.info["summary"].get("valid_error")
        choice = (self.report or {}).get("choice")
        if error is None and choice:  # then all rows were learned from
            error = choice["chosen"]["valid_error"]
        shown = "" if error is None else f", error on held-out rows {error:.4g}"
        lines = "".join(f"<tr><td>{html.escape(name)}</td><td>{weight:.4g}</td></tr>"
                        for name, weight in self.strongest())
        return (f"<p><b>thresh.Model</b>: {self.info['task']}, {len(self)} of {self.info['dimension']} "
                f"features{shown}</p><table><tr><th>feature</th><th>weight</th></tr>{lines}</table>")


def _unpickle(content: bytes, report: Any) -> Model:
    model = Model.from_bytes(content)
    model.report = report
    return model


