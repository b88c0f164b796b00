"""Parsed rows in a file that is read many times faster than text."""

from __future__ import annotations

import os
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any

from . import _library as lib
from ._functions import OnProgress, _call, _raise
from ._library import library, take_json


class Cache(os.PathLike):  # type: ignore[type-arg]
    """Parsed rows of a file or a folder of texts, to be used wherever a path is.

    Without `path`, the rows are in a file beside the data that ends in `.cache`. `options` say how the data are
    read, as for `thresh.train`; they hold for all uses of the cache.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(folder + "/a.svm", "w") as file:
    ...     _ = file.write("1 1:1 2:0.5\\n-1 2:1\\n" * 50)
    >>> cache = Cache(folder + "/a.svm")
    >>> cache.rows, cache.dimension
    (100, 2)
    >>> from thresh import train
    >>> len(train(cache, solver="fobos", features=1))
    1
    """

    def __init__(self, data: "str | os.PathLike[str]", path: "str | os.PathLike[str] | None" = None, *,
                 progress: "bool | OnProgress | None" = None, **options: Any) -> None:
        self.path = Path(os.fspath(data) + ".cache" if path is None else path)
        settings, call, report = lib.settings(options), _call(progress), c_void_p()
        _raise(lib.run(call, lambda: library.thresh_cache_write(
            settings, os.fsencode(data), os.fsencode(self.path), call.handle, byref(report))))
        facts = take_json(report)
        self.rows: int = facts["rows"]
        self.bad_rows: int = facts["bad_rows"]
        self.dimension: int = facts["dimension"]
        self.bytes: int = facts["bytes"]

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"<thresh.Cache {str(self.path)!r}: {self.rows:,} rows, {self.dimension:,} features, {self.bytes:,} bytes>"
