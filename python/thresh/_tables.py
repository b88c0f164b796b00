"""Tables of any library that exports the Arrow C stream interface: pandas, polars, pyarrow, DuckDB."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_void_p, py_object
from typing import Any, Optional, Sequence

import numpy as np

from . import _library as lib
from ._library import Handle, UsageError, check, library

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.argtypes, _pointer_of.restype = [py_object, ctypes.c_char_p], c_void_p


def _library_of(x: Any) -> str:
    return type(x).__module__.partition(".")[0]


def is_table(x: Any) -> bool:
    """Whether it exports the Arrow C stream interface, and is not a single column."""
    return hasattr(x, "__arrow_c_stream__") and type(x).__name__ not in ("Series", "ChunkedArray")


def _is_number_type(kind: Any) -> bool:
    if type(kind).__name__ == "SparseDtype":
        kind = kind.subtype
    return isinstance(kind, np.dtype) and kind.kind in "fiub"


def is_plain(x: Any) -> bool:
    """Whether a data frame is a matrix: numbers alone, none of them missing."""
    kind = _library_of(x)
    if kind == "pandas":
        return all(_is_number_type(t) for t in x.dtypes) and not bool(x.isna().any().any())
    if kind == "polars" and hasattr(x, "schema"):
        return all(t.is_numeric() for t in x.schema.values()) and \
            all(count == 0 for count in x.null_count().row(0)) and \
            not any(bool(x[name].is_nan().any()) for name, t in x.schema.items() if t.is_float())
    return False


def _capsule(x: Any) -> Any:
    if _library_of(x) == "pandas":
        x = x.reset_index(drop=True)  # otherwise it becomes a column
    try:
        return x.__arrow_c_stream__()
    except ImportError as error:
        raise UsageError(f"a table of {_library_of(x)} with words, dates or missing values needs pyarrow: "
                         f"{error}") from None
    except (TypeError, ValueError) as error:  # pyarrow's own are ValueErrors, too
        raise UsageError(f"not a table of Arrow: {error}") from None


def table_handle(x: Any, labels: Optional[np.ndarray], weights: Optional[np.ndarray],
                 label_names: Sequence[str]) -> Handle:
    """The rows as a file of the same cells would give them. They are copied."""
    capsule = _capsule(x)
    given = labels if labels is not None else weights
    address = [None if a is None else a.__array_interface__["data"][0] for a in (labels, weights)]
    pointer = c_void_p()
    check(library.thresh_data_from_arrow(
        _pointer_of(capsule, b"arrow_array_stream"), 0 if given is None else len(given), *address,
        lib.strings(label_names) if len(label_names) > 0 else None, len(label_names), byref(pointer)))
    return Handle(pointer, library.thresh_data_free)
