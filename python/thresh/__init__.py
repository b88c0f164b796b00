"""Sparse linear models from massive, high-dimensional data."""

from __future__ import annotations

from typing import Any

from ._cache import Cache
from ._functions import (Diagnosis, Page, Table, cv, diagnose, frontier, path, project_l1_ball,
                         project_nonnegative_l1_ball, project_simplex, project_weighted_l1_ball, report,
                         train, tune, verify)
from ._library import Error, Stopped, UsageError, describe, version
from ._model import Model

__version__ = version
__all__ = ["Cache", "Classifier", "Diagnosis", "Error", "Model", "Page", "Regressor", "Selector", "Stopped", "Table",
           "UsageError", "cv", "describe", "diagnose", "frontier", "path", "project_l1_ball",
           "project_nonnegative_l1_ball", "project_simplex", "project_weighted_l1_ball", "report", "train",
           "tune", "verify"]


def __getattr__(name: str) -> Any:
    # scikit-learn takes long to import, and not everyone has it.
    if name in ("Classifier", "Regressor", "Selector"):
        from . import _estimators
        return getattr(_estimators, name)
    raise AttributeError(f"module 'thresh' has no attribute {name!r}")
