"""The C interface, include/thresh/thresh.h, through ctypes."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

ABI = 4
DENSE, CSR, CSC = 0, 1, 2
LABEL, MARGIN, PROBABILITY = 0, 1, 2


class Error(Exception):
    """Bad data, a bad file, or a failed system call."""


class UsageError(Error, ValueError):
    """Invalid arguments or options."""


class Stopped(Error):
    """Stopped before there was a result."""


class Matrix(ctypes.Structure):
    _fields_ = [
        ("size", c_uint64), ("rows", c_uint64), ("columns", c_uint64),
        ("layout", c_int32), ("value_type", c_int32), ("index_type", c_int32), ("reserved", c_int32),
        ("values", c_void_p), ("entries", c_uint64), ("starts", c_void_p), ("indices", c_void_p),
        ("row_stride", c_int64), ("column_stride", c_int64),
        ("labels", c_void_p), ("weights", c_void_p),
        ("label_names", POINTER(c_char_p)), ("label_name_count", c_uint64),
        ("feature_names", POINTER(c_char_p)),
    ]


class Progress(ctypes.Structure):
    _fields_ = [("doing", c_char_p), ("share", c_double), ("rows", c_uint64), ("pass_", c_uint64),
                ("nonzeros", c_uint64)]


ON_PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Progress))
ON_MESSAGE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
NEXT_BATCH = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Matrix))

_V = c_void_p
_STRING = POINTER(c_void_p)  # char** that thresh_free() frees
_SIGNATURES: dict[str, list[Any]] = {
    "thresh_describe": [_STRING],
    "thresh_settings_new": [POINTER(_V)],
    "thresh_settings_set": [_V, c_char_p, c_char_p],
    "thresh_data_from_matrix": [POINTER(Matrix), POINTER(_V)],
    "thresh_data_from_path": [c_char_p, POINTER(_V)],
    "thresh_data_from_batches": [NEXT_BATCH, _V, POINTER(_V)],
    "thresh_data_from_texts": [POINTER(c_char_p), POINTER(c_uint64), c_uint64, _V, POINTER(c_char_p),
                               c_uint64, POINTER(_V)],
    "thresh_data_set_weights": [_V, _V, c_uint64],
    "thresh_data_from_arrow": [_V, c_uint64, _V, _V, POINTER(c_char_p), c_uint64, POINTER(_V)],
    "thresh_call_new": [ON_PROGRESS, ON_MESSAGE, _V, POINTER(_V)],
    "thresh_train": [_V, _V, _V, _V, _V, POINTER(_V), _STRING],
    "thresh_frontier": [_V, _V, _V, _V, POINTER(POINTER(_V)), POINTER(c_uint64), _STRING],
    "thresh_path": [_V, _V, _V, _V, POINTER(POINTER(_V)), POINTER(c_uint64), _STRING],
    "thresh_cv": [_V, _V, _V, _STRING],
    "thresh_tune": [_V, _V, _V, _V, POINTER(_V), _STRING],
    "thresh_diagnose": [_V, _V, _V, _STRING],
    "thresh_cache_write": [_V, c_char_p, c_char_p, _V, _STRING],
    "thresh_model_load": [c_char_p, POINTER(_V)],
    "thresh_model_save": [_V, c_char_p],
    "thresh_model_to_bytes": [_V, _STRING, POINTER(c_uint64)],
    "thresh_model_from_bytes": [c_char_p, c_uint64, POINTER(_V)],
    "thresh_model_export": [_V, c_char_p, c_char_p],
    "thresh_model_info": [_V, _STRING],
    "thresh_model_weights": [_V, c_uint64, POINTER(c_double), POINTER(c_uint64), POINTER(_V), POINTER(_V)],
    "thresh_model_name": [_V, c_uint64, c_uint64, POINTER(c_char_p)],
    "thresh_predict": [_V, _V, _V, _V, c_int, POINTER(_V), POINTER(c_uint64), POINTER(c_uint64)],
    "thresh_predict_row": [_V, c_uint64, _V, _V, c_int, _V],
    "thresh_predict_line": [_V, c_char_p, c_uint64, c_int, _V],
    "thresh_evaluate": [_V, _V, _V, _V, _STRING],
    "thresh_verify": [_V, _V, _V, _V, _STRING],
    "thresh_report_page": [POINTER(c_char_p), c_uint64, c_char_p, _STRING],
    "thresh_project": [c_char_p, _V, c_uint64, c_double, POINTER(c_double)],
    "thresh_project_weighted": [_V, _V, c_uint64, c_double, POINTER(c_double)],
}


def _load() -> ctypes.CDLL:
    # For work on thresh itself: a library that is not in the package.
    path = os.environ.get("THRESH_LIBRARY") or str(Path(__file__).parent / "libthresh.so.0")
    library = ctypes.CDLL(path)
    library.thresh_abi.restype = c_int
    if library.thresh_abi() < ABI:
        raise ImportError(f"{path} is older than this package")
    library.thresh_version.restype = c_char_p
    library.thresh_error.restype = c_char_p
    for name in ("thresh_free", "thresh_settings_free", "thresh_data_free", "thresh_call_free",
                 "thresh_call_stop", "thresh_model_free"):
        getattr(library, name).argtypes = [_V]
        getattr(library, name).restype = None
    library.thresh_model_parts.argtypes = [_V]
    library.thresh_model_parts.restype = c_uint64
    for name, arguments in _SIGNATURES.items():
        getattr(library, name).argtypes = arguments
        getattr(library, name).restype = c_int
    return library


library = _load()
version: str = library.thresh_version().decode()


def check(code: int) -> None:
    """Raises the error of a code."""
    if code == 0:
        return
    message = library.thresh_error().decode("utf-8", "replace")
    if code == 2:
        raise UsageError(message)
    if code == 3:
        raise Stopped(message)
    if code == 4:
        raise MemoryError(message)
    raise Error(message)


class Handle:
    """A pointer that is freed with its owner."""

    def __init__(self, pointer: c_void_p, free: Callable[[Any], None]) -> None:
        self._as_parameter_ = pointer
        self._free = free

    def __del__(self) -> None:
        if self._as_parameter_:
            self._free(self._as_parameter_)
            self._as_parameter_ = c_void_p()


def take_text(pointer: c_void_p) -> str:
    """The text behind a char*, which is freed."""
    try:
        return ctypes.string_at(pointer.value or 0).decode("utf-8", "replace")
    finally:
        library.thresh_free(pointer)


def take_json(pointer: c_void_p) -> Any:
    return json.loads(take_text(pointer))


def strings(texts: Sequence[str]) -> Any:
    """An array of char*. The bytes live as long as the array."""
    return (c_char_p * max(1, len(texts)))(*[text.encode() for text in texts])


def setting_text(value: Any) -> str:
    """A value as the command line has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):  # of classes to weights
        return ",".join(f"{setting_text(key)}={setting_text(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(setting_text(part) for part in value)
    if hasattr(value, "item") and not isinstance(value, str):
        return setting_text(value.item())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return repr(value) if isinstance(value, float) else str(value)


# Shares are fractions in Python and percentages on the command line.
_SHARES = ("density", "holdout", "prove")


def settings(options: Mapping[str, Any]) -> Handle:
    """Settings of all options that are not None."""
    pointer = c_void_p()
    check(library.thresh_settings_new(byref(pointer)))
    handle = Handle(pointer, library.thresh_settings_free)
    for name, value in options.items():
        if value is None:
            continue
        if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:  # a number of numpy
            value = value.item()
        text = setting_text(value)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if name in _SHARES and is_number:
            text = f"{float(value) * 100!r}%"
        if name == "max_error" and is_number and options.get("task") != "regression":
            text = f"{float(value) * 100!r}%"
        plain = name.rstrip("_")  # lambda_ and from_: the names without it are words of Python
        check(library.thresh_settings_set(handle, plain.encode(), text.encode()))
    return handle


def describe() -> Any:
    """All options that can be set, and all solvers."""
    pointer = c_void_p()
    check(library.thresh_describe(byref(pointer)))
    return take_json(pointer)


class Call:
    """A call that can be watched and stopped."""

    def __init__(self, on_progress: Optional[Callable[[Progress], Any]],
                 on_message: Optional[Callable[[str], None]]) -> None:
        self.error: Optional[BaseException] = None
        self.on_end: Optional[Callable[[bool], None]] = None  # told whether the call came to its end

        def progress(_: Any, at: Any) -> int:
            try:
                return 1 if on_progress is not None and on_progress(at.contents) else 0
            except BaseException as error:  # it must not be lost in C
                self.error = error
                return 1

        def message(_: Any, text: bytes) -> None:
            try:
                if on_message is not None:
                    on_message(text.decode("utf-8", "replace"))
            except BaseException as error:
                self.error = error

        # They must live as long as the call.
        self._progress = ON_PROGRESS(progress) if on_progress is not None else ON_PROGRESS()
        self._message = ON_MESSAGE(message) if on_message is not None else ON_MESSAGE()
        pointer = c_void_p()
        check(library.thresh_call_new(self._progress, self._message, None, byref(pointer)))
        self.handle = Handle(pointer, library.thresh_call_free)

    def stop(self) -> None:
        library.thresh_call_stop(self.handle)


def run(call: Call, work: Callable[[], int]) -> Optional[BaseException]:
    """Does the work, and tells the call of its end."""
    finished = False
    try:
        stopped = _run(call, work)
        finished = stopped is None
        return stopped
    finally:
        if call.on_end is not None:
            call.on_end(finished)


def _run(call: Call, work: Callable[[], int]) -> Optional[BaseException]:
    """Runs `work`, which is given the call's handle, and raises its error.

    In the main thread, the work is done by another one, so that Ctrl-C is noticed at once. It stops the
    work; if there is a result all the same, the KeyboardInterrupt is returned instead of raised.
    """
    if threading.current_thread() is not threading.main_thread():
        check(work())
        if call.error is not None:
            raise call.error
        return None
    failures: list[BaseException] = []
    done = threading.Event()

    def body() -> None:
        try:
            check(work())  # the message is one of this thread
        except BaseException as error:
            failures.append(error)
        finally:
            done.set()

    signals: list[Any] = []

    def on_signal(*arguments: Any) -> None:
        signals.append(arguments)
        call.stop()

    # An exception from a signal handler could come at any point here and leave the thread behind.
    before = signal.getsignal(signal.SIGINT)
    if callable(before):
        signal.signal(signal.SIGINT, on_signal)
    try:
        threading.Thread(target=body, name="thresh", daemon=True).start()
        while not done.wait(0.2):  # another thread may have got the signal
            pass
    finally:
        if callable(before):
            signal.signal(signal.SIGINT, before)
    interrupted = KeyboardInterrupt() if signals else None
    if signals and callable(before) and before is not signal.default_int_handler:
        before(*signals[0])
    if failures:
        if interrupted is not None and isinstance(failures[0], Stopped):
            raise interrupted
        raise failures[0] if call.error is None else call.error
    return interrupted if interrupted is not None else call.error


def each(models: Any, count: c_uint64) -> Iterator[c_void_p]:
    """The models of an array, which is freed."""
    pointers = [c_void_p(models[i]) for i in range(count.value)]
    library.thresh_free(ctypes.cast(models, c_void_p))
    yield from pointers


