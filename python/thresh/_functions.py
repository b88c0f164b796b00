"""The commands of thresh as functions."""

from __future__ import annotations

import json
import logging
import os
from ctypes import POINTER, byref, c_double, c_uint64, c_void_p
from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np

from . import _library as lib
from ._data import Rows, codes_of, is_path, rows_of
from ._library import Call, check, library, take_json, take_text
from ._model import Model

logger = logging.getLogger("thresh")
OnProgress = Callable[[str, float], Any]


def _watcher(progress: "bool | OnProgress | None") -> Any:
    """What is told of the progress, and of the end."""
    if progress is None or progress is False:
        return None, None
    if callable(progress):
        return lambda at: progress(at.doing.decode(), at.share), None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None, None
    bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def show(at: lib.Progress) -> None:
        bar.set_description(at.doing.decode(), refresh=False)
        bar.n = max(at.share, 0.0)
        bar.refresh()

    def end(finished: bool) -> None:
        bar.n = 1.0 if finished else bar.n
        bar.close()

    return show, end


def _call(progress: "bool | OnProgress | None") -> Call:
    watcher, end = _watcher(progress)
    call = Call(watcher, lambda text: logger.info(text))
    call.on_end = end
    return call


def encoded(y: Any, task: Optional[str]) -> "tuple[Any, list[str]]":
    """Labels as numbers, and the words for 0, 1, ... if they were words."""
    if isinstance(y, (str, bytes)):
        raise lib.UsageError("y is a string, but must have one label for each row")
    if y is None or task == "regression":
        return y, []
    labels = np.asarray(y)
    if labels.dtype.kind in "OUS" and labels.ndim == 1:
        words, codes = np.unique(labels.astype(str), return_inverse=True)
        return codes.astype(np.float64), [str(word) for word in words]
    return labels, []


def _rows(x: Any, y: Any, weights: Any, options: "dict[str, Any]", words: Sequence[str] = (),
          names: Optional["list[str]"] = None) -> Rows:
    """Rows whose labels are words are encoded by `words` if there are some, otherwise by their own."""
    if len(words) > 0 and y is not None:
        return rows_of(x, codes_of(y, words), weights, words)
    codes, own = encoded(y, options.get("task"))
    rows = rows_of(x, codes, weights, own, names)
    rows.words = own
    return rows


def _valid_rows(valid: Any, options: "dict[str, Any]", rows: Rows) -> Optional[Rows]:
    if valid is None:
        return None
    if not isinstance(valid, tuple):
        return rows_of(valid)
    if len(valid) != 2:
        raise lib.UsageError(f"valid is a tuple of {len(valid)}, but must be (X, y) or a path")
    return _rows(valid[0], valid[1], None, options, rows.words)


def _run(call: Call, rows: Rows, work: Callable[[], int]) -> Optional[BaseException]:
    try:
        return lib.run(call, work)
    except lib.Error:
        rows.raise_error_of_iterator()
        raise


def train_or_stop(x: Any, y: Any, sample_weight: Any, valid: Any, start: Optional[Model],
                  progress: Any, options: "dict[str, Any]",
                  names: Optional["list[str]"] = None) -> "tuple[Model, Optional[BaseException]]":
    """A model, and the interruption that ended its training if there was one. `names` are those of columns."""
    rows = _rows(x, y, sample_weight, options, names=names)
    others = _valid_rows(valid, options, rows)
    settings, call = lib.settings(options), _call(progress)
    model, report = c_void_p(), c_void_p()
    stopped = _run(call, rows, lambda: library.thresh_train(
        settings, rows.handle, others.handle if others else None, start._handle if start else None,
        call.handle, byref(model), byref(report)))
    return Model(model, take_json(report)), stopped


def train(x: Any, y: Any = None, *, sample_weight: Any = None, valid: Any = None,
          start: Optional[Model] = None, progress: "bool | OnProgress | None" = None,
          **options: Any) -> Model:
    """What `thresh train` does. Options have its names, with _ for -; shares are fractions.

    `x` is a matrix, a list of texts, a path, or an iterator of (X, y) batches. `valid` is (X, y) or a
    path. `progress` is True (tqdm) or a function of what is done and the share of it; if the function
    returns something true, training stops.
    """
    model, stopped = train_or_stop(x, y, sample_weight, valid, start, progress, options)
    if isinstance(stopped, KeyboardInterrupt):
        logger.warning("stopped; the model so far is returned")
    elif stopped is not None:
        raise stopped
    return model


def _models(function: Any, x: Any, y: Any, sample_weight: Any, valid: Any, progress: Any,
            options: "dict[str, Any]") -> "tuple[list[Model], Any]":
    rows = _rows(x, y, sample_weight, options)
    others = _valid_rows(valid, options, rows)
    settings, call = lib.settings(options), _call(progress)
    models, count, report = POINTER(c_void_p)(), c_uint64(), c_void_p()
    _raise(_run(call, rows, lambda: function(settings, rows.handle, others.handle if others else None,
                                             call.handle, byref(models), byref(count), byref(report))))
    return [Model(pointer) for pointer in lib.each(models, count)], take_json(report)


def _raise(stopped: Optional[BaseException]) -> None:
    if stopped is not None:
        raise stopped


class Table:
    """Points, each a dictionary, with their models."""

    def __init__(self, points: "list[dict[str, Any]]", models: "list[Model]", x: str, y: str) -> None:
        self.points, self.models, self._axes = points, models, (x, y)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator["dict[str, Any]"]:
        return iter(self.points)

    def __getitem__(self, i: int) -> "dict[str, Any]":
        return self.points[i]

    def best(self) -> "dict[str, Any]":
        """The point with the lowest error on held-out rows, the smaller one of equals."""
        known = [p for p in self.points if p.get("valid_error") is not None]
        if not known:
            raise lib.UsageError("no rows were held out; give holdout or valid")
        return min(known, key=lambda p: (p["valid_error"], p["nonzeros"]))

    def model(self, point: "dict[str, Any]") -> Model:
        return self.models[self.points.index(point)]

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame(self.points)

    def plot(self, ax: Any = None) -> Any:
        """Draws the error against the size, with matplotlib."""
        import matplotlib.pyplot as plt
        ax = ax if ax is not None else plt.subplots()[1]
        for solver in dict.fromkeys(p.get("solver", "") for p in self.points):
            mine = [p for p in self.points if p.get("solver", "") == solver]
            ax.plot([p[self._axes[0]] for p in mine], [p[self._axes[1]] for p in mine], "o-", label=solver)
        ax.set_xscale("log")
        ax.set_xlabel(self._axes[0])
        ax.set_ylabel(self._axes[1])
        return ax

    def _repr_html_(self) -> str:
        names = list(self.points[0]) if self.points else []
        cell = lambda v: f"{v:.4g}" if isinstance(v, float) else str(v)  # noqa: E731
        rows = "".join("<tr>" + "".join(f"<td>{cell(p.get(n))}</td>" for n in names) + "</tr>"
                       for p in self.points)
        return f"<table><tr>{''.join(f'<th>{n}</th>' for n in names)}</tr>{rows}</table>"

    def __repr__(self) -> str:
        return "\n".join(str(point) for point in self.points)


def frontier(x: Any, y: Any = None, *, budgets: Any = None, solvers: "Sequence[str] | str" = "budget",
             sample_weight: Any = None, valid: Any = None, progress: Any = None, **options: Any) -> Table:
    """The error for every number of features. `budgets` are numbers or percentages ("5%")."""
    options.update(budgets=budgets, solvers=solvers)
    models, report = _models(library.thresh_frontier, x, y, sample_weight, valid, progress, options)
    points = []
    for curve in report["solvers"]:
        for warning in curve["warnings"]:
            logger.warning("%s: %s", curve["solver"], warning)
        if curve["failure"] and len(report["solvers"]) == 1:
            raise lib.Error(f"{curve['solver']}: {curve['failure']}")
        points += [{"solver": curve["solver"], **point} for point in curve["points"]]
    return Table(points, models, "nonzeros", "valid_error")


def path(x: Any, y: Any = None, *, over: Optional[str] = None, values: Any = None, first: Any = None,
         last: Any = None, count: Optional[int] = None, sample_weight: Any = None, valid: Any = None,
         progress: Any = None, **options: Any) -> Table:
    """One model for each value of an option: `values`, or `count` of them from `first` to `last`."""
    options.update({"over": over, "values": values, "from": first, "to": last, "count": count})
    models, report = _models(library.thresh_path, x, y, sample_weight, valid, progress, options)
    points = [{**p, "value": float(p["value"])} for p in report["points"]]
    return Table(points, models, "value", "nonzeros")


def cv(x: Any, y: Any = None, *, folds: int = 5, sample_weight: Any = None, progress: Any = None,
       **options: Any) -> Any:
    """Cross-validation: means and standard errors of error, loss and size, and the folds."""
    rows = _rows(x, y, sample_weight, options)
    settings, call, report = lib.settings({**options, "folds": folds}), _call(progress), c_void_p()
    _raise(_run(call, rows, lambda: library.thresh_cv(settings, rows.handle, call.handle, byref(report))))
    return take_json(report)


def tune(x: Any, y: Any = None, *, grid: str, sample_weight: Any = None, valid: Any = None,
         progress: Any = None, **options: Any) -> Model:
    """Chooses options on held-out rows: grid="lambda=log:1e-6:1e-2:5 eta=0.1,0.5". `report` has all."""
    rows = _rows(x, y, sample_weight, options)
    others = _valid_rows(valid, options, rows)
    settings, call = lib.settings({**options, "grid": grid}), _call(progress)
    model, report = c_void_p(), c_void_p()
    _raise(_run(call, rows, lambda: library.thresh_tune(
        settings, rows.handle, others.handle if others else None, call.handle, byref(model), byref(report))))
    return Model(model, take_json(report))


class Diagnosis:
    """What a diagnosis found; prints as text."""

    def __init__(self, parts: "list[dict[str, Any]]") -> None:
        self.parts = {part["name"]: json.loads(part["json"]) for part in parts}
        self.text = "\n".join(part["text"] for part in parts)

    def __repr__(self) -> str:
        return self.text


def diagnose(x: Any, y: Any = None, *, only: Any = None, sample_weight: Any = None, progress: Any = None,
             **options: Any) -> Diagnosis:
    """What the numbers in the data will do to a learner."""
    rows = _rows(x, y, sample_weight, options)
    settings, call, report = lib.settings({**options, "only": only}), _call(progress), c_void_p()
    _raise(_run(call, rows, lambda: library.thresh_diagnose(settings, rows.handle, call.handle, byref(report))))
    return Diagnosis(take_json(report)["parts"])


def verify(model: Model, x: Any, y: Any = None, **options: Any) -> Any:
    """Checks the certificate of a model, from train(certify=True), against its training rows."""
    rows = _rows(x, y, None, {**options, "task": model.info["task"]})
    settings, call, report = lib.settings(options), _call(None), c_void_p()
    _raise(_run(call, rows, lambda: library.thresh_verify(model._handle, settings, rows.handle, call.handle,
                                                          byref(report))))
    return take_json(report)


class Page:
    """A page of HTML, which notebooks show."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: "str | os.PathLike[str]") -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        import html
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="800"></iframe>'


def report(*paths: "str | os.PathLike[str]", title: str = "") -> Page:
    """One page of models, traces and JSON that thresh has written."""
    if not paths or not all(is_path(path) for path in paths):
        raise lib.UsageError("report needs paths of files")
    text = c_void_p()
    check(library.thresh_report_page(lib.strings([os.fspath(p) for p in paths]), len(paths), title.encode(),
                                     byref(text)))
    return Page(take_text(text))


def _project(onto: str, v: Any, radius: float) -> np.ndarray:
    out = np.array(v, dtype=np.float64, order="C")
    if out.ndim != 1:
        raise lib.UsageError(f"expected a vector, got shape {out.shape}")
    check(library.thresh_project(onto.encode(), out.ctypes.data, out.size, radius, byref(c_double())))
    return out


def project_simplex(v: Any, radius: float = 1.0) -> np.ndarray:
    """The nearest point with non-negative entries that sum to the radius.

    >>> import thresh
    >>> thresh.project_simplex([2.0, 1.0])
    array([1., 0.])
    """
    return _project("simplex", v, radius)


def project_l1_ball(v: Any, radius: float = 1.0) -> np.ndarray:
    """The nearest point whose absolute values sum to at most the radius.

    >>> import thresh
    >>> thresh.project_l1_ball([3.0, -1.0], 2.0)
    array([2., 0.])
    """
    return _project("l1-ball", v, radius)


def project_nonnegative_l1_ball(v: Any, radius: float = 1.0) -> np.ndarray:
    """The same with no negative entries."""
    return _project("nonnegative-l1-ball", v, radius)


def project_weighted_l1_ball(v: Any, weights: Any, radius: float = 1.0) -> np.ndarray:
    """The nearest point with sum of weights[j] * |w[j]| at most the radius."""
    out = np.array(v, dtype=np.float64, order="C")
    a = np.ascontiguousarray(weights, dtype=np.float64)
    if out.ndim != 1 or a.shape != out.shape:
        raise lib.UsageError(f"expected vectors of one length, got shapes {out.shape} and {a.shape}")
    check(library.thresh_project_weighted(out.ctypes.data, a.ctypes.data, out.size, radius, byref(c_double())))
    return out
