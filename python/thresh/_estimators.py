"""Estimators for scikit-learn. Their parameters are the options of `thresh train`."""

from __future__ import annotations

import inspect
from typing import Any, Optional

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _library as lib
from ._data import is_batches, is_path, is_texts
from ._tables import is_plain, is_table
from ._functions import train_or_stop
from ._model import Model

# Larger coef_ are sparse.
LARGEST_DENSE = 1_000_000

# Options that are methods' arguments here, or other parameters.
_NOT_PARAMETERS = {"task", "weights", "trace-at", "seed", "partial"}


def parameter_name(option: str) -> str:
    """The name of an option as a parameter: lambda is a word of Python."""
    return "lambda_" if option == "lambda" else option.replace("-", "_")


def _parameters() -> "dict[str, Any]":
    described = lib.describe()
    options = [option["name"] for option in described["options"] + described["reading"]]
    names = [parameter_name(name) for name in options if name not in _NOT_PARAMETERS]
    return {**dict.fromkeys(names), "solver": "budget", "random_state": None, "solver_options": None}


_PARAMETERS = _parameters()
_STREAMING = {solver["name"] for solver in lib.describe()["solvers"] if solver["needs"].startswith("rows")}


def _with_parameters(extra: "dict[str, Any]", removed: "tuple[str, ...]" = ()) -> Any:
    """Gives a class the parameters of the option table; None is the program's default."""
    parameters = {**{k: v for k, v in _PARAMETERS.items() if k not in removed}, **extra}

    def decorate(cls: Any) -> Any:
        def __init__(self: Any, **given: Any) -> None:
            for name in given:
                if name not in parameters:
                    raise TypeError(f"{cls.__name__} has no parameter {name!r}")
            for name, default in parameters.items():
                setattr(self, name, given.get(name, default))

        __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
            + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
               for name, default in parameters.items()])
        cls.__init__ = __init__
        return cls

    return decorate


def _validated(estimator: Any, x: Any, *y: Any, reset: bool, finite: bool = True) -> Any:
    if np.ma.is_masked(x):
        raise ValueError("the array has masked values; fill them first")
    options = dict(accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], reset=reset)
    if y:
        options["ensure_min_samples"] = 2
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before 1.6
        return estimator._validate_data(x, *y, force_all_finite=finite, **options)
    return validate_data(estimator, x, *y, ensure_all_finite=finite, **options)


def _storable(names: Any) -> "Optional[list[str]]":
    """Names of columns, unless a model file cannot hold them."""
    return None if any(c in name for name in names for c in "\t\r\n") else list(names)


class _Estimator(BaseEstimator):  # type: ignore[misc]
    _task = "classification"
    model_: Model
    report_: Any
    coef_: Any
    intercept_: Any
    n_iter_: int
    n_features_in_: int

    def _settings(self) -> "dict[str, Any]":
        given = {name: value for name, value in self.get_params(deep=False).items() if value is not None}
        own = given.pop("solver_options", {})
        state = given.pop("random_state", None)
        if isinstance(state, np.random.RandomState):
            given["seed"] = int(state.randint(2**31 - 1))
        elif state is not None:
            if not isinstance(state, (int, np.integer)):
                raise ValueError(f"random_state is {state!r}, but must be an integer, a RandomState or None")
            given["seed"] = int(state)
        if "lambda_" in given:
            given["lambda"] = given.pop("lambda_")
        if isinstance(given.get("class_weight"), dict):
            given.pop("class_weight")  # in the weights of rows
        given.pop("task", None)
        return {**given, **own, "task": self._task}

    def _learn(self, x: Any, y: Any, weights: Any, valid: Any, progress: Any, start: Optional[Model] = None,
               more: Any = None) -> None:
        settings = {**self._settings(), **(more or {})}
        names = None if self._is_foreign(x) else getattr(self, "feature_names_in_", None)
        self.model_, interrupted = train_or_stop(x, y, weights, valid, start, progress, settings,
                                                 None if names is None else _storable(names))
        report = self.model_.report or {}
        self.report_ = report
        self.n_iter_ = max(1, int(report["summary"].get("pass", 1)))
        self._set_coefficients()
        if interrupted is not None:  # what there is has been kept
            raise interrupted

    def _set_coefficients(self) -> None:
        columns = None if self.model_.reads_tables else getattr(self, "n_features_in_", None)
        coef = self.model_.coef(columns)
        if not hasattr(self, "n_features_in_"):
            self.n_features_in_ = coef.shape[1]
        self.coef_ = coef.toarray() if coef.shape[0] * coef.shape[1] <= LARGEST_DENSE else coef
        self.intercept_ = np.array([self.model_.intercept(part) for part in range(self.model_.parts)])

    def _is_foreign(self, x: Any) -> bool:
        """Whether scikit-learn cannot look at it: a path, texts, batches, or a table that is no matrix."""
        return is_path(x) or is_texts(x) or is_batches(x) or self._is_table(x)

    def _checked(self, batches: Any) -> Any:
        """Batches to predict, with the columns that were learned from."""
        for batch in batches:
            columns = (batch[0] if isinstance(batch, tuple) else batch).shape[1]
            if columns != self.n_features_in_:
                raise ValueError(f"a batch has {columns} features, but {type(self).__name__} is expecting "
                                 f"{self.n_features_in_} features as input")
            yield batch

    def _is_table(self, x: Any) -> bool:
        if not is_table(x):
            return False
        return self.model_.reads_tables if hasattr(self, "model_") else not is_plain(x)

    def _learn_table(self, x: Any, y: Any, weights: Any, valid: Any, progress: Any) -> None:
        if y is None:
            raise ValueError("a table needs y, or give the path of its file")
        if hasattr(x, "columns") and all(isinstance(name, str) for name in x.columns):
            self.feature_names_in_ = np.array(list(x.columns), dtype=object)
            self.n_features_in_ = len(self.feature_names_in_)
        self._learn(x, y, weights, valid, progress)

    def _begin(self) -> None:
        for name in ("n_features_in_", "feature_names_in_", "model_"):
            if hasattr(self, name):
                delattr(self, name)

    def _predicted(self, x: Any, predict: Any) -> Any:
        """What a method of the model makes of the rows."""
        check_is_fitted(self, "model_")
        if is_batches(x):
            return predict(self.model_, self._checked(x))
        if self._is_foreign(x):
            return predict(self.model_, x)
        rows = _validated(self, x, reset=False, finite=False)  # the library looks at every value anyway
        try:
            return predict(self.model_, rows)
        except lib.UsageError:
            _validated(self, x, reset=False)  # says what is not finite in the words of scikit-learn
            raise

    def _weights(self, sample_weight: Any, x: Any) -> Any:
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, x, dtype=np.float64)
        if np.any(weights < 0):
            raise ValueError(f"sample_weight is negative for row {int(np.argmax(weights < 0))}")
        if np.all(weights == weights[0]) and weights[0] > 0:
            return None
        return weights

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _repr_html_inner(self) -> str:
        """The page of scikit-learn, and the model."""
        return super()._repr_html_inner() + self._model_html()

    def _repr_mimebundle_(self, **options: Any) -> "dict[str, str]":
        shown = super()._repr_mimebundle_(**options)
        if "text/html" in shown:
            shown["text/html"] += self._model_html()
        return shown

    def _model_html(self) -> str:
        return self.model_._repr_html_() if hasattr(self, "model_") else ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def _more_tags(self) -> Any:  # before 1.6
        reason = "a row of weight 0 still takes its turn in the order of the rows"
        return {"requires_y": True, "X_types": ["2darray", "sparse"],
                "_xfail_checks": {"check_sample_weights_invariance": reason}}


class _Predictor(_Estimator):
    """An estimator with coef_ for predictions."""

    def sparsify(self) -> Any:
        """Makes coef_ a sparse matrix."""
        check_is_fitted(self)
        self.coef_ = scipy.sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Any:
        check_is_fitted(self)
        self.coef_ = self.coef_.toarray() if scipy.sparse.issparse(self.coef_) else self.coef_
        return self


def _streams(self: Any) -> bool:
    if self.solver not in _STREAMING:
        raise AttributeError(f"partial_fit needs a solver that goes from row to row, such as ftrl or fobos; "
                             f"{self.solver} needs all rows")
    if self.solver == "budget" and self.features is None and self.density is None:
        raise AttributeError("partial_fit with the solver budget needs features or density; "
                             "to choose the size, use fit")
    return True


def _gives_probabilities(self: Any) -> bool:
    return not hasattr(self, "model_") or bool(self.model_.info["probabilities"])


@_with_parameters({})
class Classifier(ClassifierMixin, _Predictor):  # type: ignore[misc]
    """Sparse linear classification. Without `features` or `density`, the size is chosen on held-out rows.

    >>> from sklearn.datasets import load_breast_cancer
    >>> import thresh
    >>> x, y = load_breast_cancer(return_X_y=True)
    >>> model = thresh.Classifier(features=5).fit(x, y)
    >>> bool(model.score(x, y) > 0.9), int((model.coef_ != 0).sum())
    (True, 5)
    """

    classes_: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, valid: Any = None,
            progress: Any = None) -> "Classifier":
        """Learns from a matrix and labels, texts and labels, a path, or an iterator of batches."""
        self._begin()
        table = self._is_table(X)
        if self._is_foreign(X) and not table:
            more = None
            if isinstance(self.class_weight, dict):
                more = {"class_weight": ",".join(f"{label}={weight}" for label, weight in self.class_weight.items())}
            if y is not None:
                y = np.asarray(y)
            self._learn(X, y, sample_weight, valid, progress, more=more)
            self.classes_ = self.model_.classes
            return self
        if table:
            y = np.asarray(y)
        else:
            X, y = _validated(self, X, y, reset=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            have = "no rows" if len(codes) == 0 else f"1 class: {self.classes_.tolist()[0]!r}"
            raise ValueError(f"Classifier needs at least 2 classes, but the data have {have}")
        weights = sample_weight if table else self._weights(sample_weight, X)
        if isinstance(self.class_weight, dict):
            each = np.array([self.class_weight.get(label, 1.0) for label in self.classes_.tolist()])
            weights = each[codes] * (1.0 if weights is None else weights)
        if weights is not None and len(weights) == len(codes) and len(np.unique(codes[np.asarray(weights) > 0])) < 2:
            raise ValueError("Classifier needs at least 2 classes with rows of positive weight, but there is 1 class")
        if isinstance(valid, tuple):
            valid = (valid[0], self._labels(np.asarray(valid[1])))
        learn = self._learn_table if table else self._learn
        learn(X, self._labels(y), weights, valid, progress)
        return self

    @available_if(_streams)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "Classifier":
        """One more pass over these rows, from the model so far."""
        first = not hasattr(self, "model_")
        if first and classes is None:
            raise ValueError("classes must be given in the first call of partial_fit")
        X, y = _validated(self, X, y, reset=first)
        if first:
            self.classes_ = np.unique(classes)
        if not np.all(np.isin(y, self.classes_)):
            raise ValueError("y has labels that are not in classes")
        weights = self._weights(sample_weight, X)
        missing = np.setdiff1d(self.classes_, y)
        if len(missing) > 0:  # a row of weight 0 makes a class known
            weights = np.concatenate([np.ones(len(y)) if weights is None else weights, np.zeros(len(missing))])
            empty = scipy.sparse.csr_matrix((len(missing), X.shape[1]), dtype=X.dtype)
            X = scipy.sparse.vstack([X, empty], "csr") if scipy.sparse.issparse(X) else np.vstack([X, empty.toarray()])
            y = np.concatenate([y, missing])
        self._learn(X, self._labels(y), weights, None, None, None if first else self.model_,
                    {"passes": 1, "partial": True})
        return self

    def _labels(self, y: Any) -> Any:
        # Numbers are themselves, as in files. Whatever else there is has its place in classes_.
        if self.classes_.dtype.kind in "fiu":
            return y
        if self.classes_.dtype.kind == "b":
            return y.astype(np.float64)
        if all(isinstance(label, str) for label in self.classes_.tolist()):
            return y.astype(str)
        return np.searchsorted(self.classes_, y).astype(np.float64)

    def decision_function(self, X: Any) -> np.ndarray:
        """Margins above the threshold: positive for classes_[1]; with more than two classes, a column for each."""
        above = self._above_threshold(X)
        return above if above.ndim == 2 or self._positive_is_last() else -above

    def predict(self, X: Any) -> np.ndarray:
        above = self._above_threshold(X)
        if above.ndim == 2:
            return self.classes_[above.argmax(axis=1)]
        return self.classes_[((above > 0) == self._positive_is_last()).astype(int)]

    def _above_threshold(self, X: Any) -> np.ndarray:
        margins = self._predicted(X, Model.margin)
        threshold = self.model_.info.get("threshold")  # of threshold_by
        return margins if threshold is None else margins - threshold

    def _positive_is_last(self) -> bool:
        negative, positive = self.model_.info["labels"]
        return bool(negative < positive)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        return self._predicted(X, Model.probability)

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        return np.log(self.predict_proba(X))


@_with_parameters({}, ("positive", "multiclass", "class_weight", "calibrate", "feature_labels", "shared_budget"))
class Regressor(RegressorMixin, _Predictor):  # type: ignore[misc]
    """Sparse linear regression. Without `features` or `density`, the size is chosen on held-out rows.

    >>> import numpy as np, thresh
    >>> x = np.random.default_rng(0).normal(size=(200, 20))
    >>> model = thresh.Regressor(features=2).fit(x, 3 * x[:, 4] - x[:, 7])
    >>> np.flatnonzero(model.coef_)
    array([4, 7])
    """

    _task = "regression"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, valid: Any = None,
            progress: Any = None) -> "Regressor":
        """Learns from a matrix and numbers, texts and numbers, a path, or an iterator of batches."""
        self._begin()
        if self._is_table(X):
            self._learn_table(X, None if y is None else np.asarray(y, dtype=np.float64), sample_weight, valid, progress)
        elif self._is_foreign(X):
            self._learn(X, y, sample_weight, valid, progress)
        else:
            X, y = self._numbers(X, y, True)
            self._learn(X, y, self._weights(sample_weight, X), valid, progress)
        return self

    @available_if(_streams)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Regressor":
        """One more pass over these rows, from the model so far."""
        first = not hasattr(self, "model_")
        X, y = self._numbers(X, y, first)
        self._learn(X, y, self._weights(sample_weight, X), None, None, None if first else self.model_,
                    {"passes": 1, "partial": True})
        return self

    def _numbers(self, X: Any, y: Any, reset: bool) -> Any:
        X, y = _validated(self, X, y, reset=reset)
        return X, np.asarray(y, dtype=np.float64)

    def _set_coefficients(self) -> None:
        super()._set_coefficients()
        if not scipy.sparse.issparse(self.coef_):
            self.coef_ = self.coef_[0]
        self.intercept_ = float(self.intercept_[0])

    def predict(self, X: Any) -> np.ndarray:
        return self._predicted(X, Model.predict)


@_with_parameters({"task": None}, ("interactions",))
class Selector(SelectorMixin, _Estimator):  # type: ignore[misc]
    """Keeps the features that a sparse model chooses. `task` is classification or regression; None: by y.

    >>> from sklearn.datasets import load_breast_cancer
    >>> import thresh
    >>> x, y = load_breast_cancer(return_X_y=True)
    >>> thresh.Selector(features=3).fit_transform(x, y).shape
    (569, 3)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Selector":
        self._begin()
        if self._is_foreign(X):
            raise ValueError("Selector takes matrices, and tables of numbers without missing ones")
        X, y = _validated(self, X, y, reset=True)
        task = self.task or ("regression" if type_of_target(y).startswith("continuous") else "classification")
        if task not in ("classification", "regression"):
            raise ValueError(f"task is {task!r}, but must be classification or regression")
        if task == "classification":
            check_classification_targets(y)
            if len(np.unique(y)) < 2:
                raise ValueError("Selector needs at least 2 classes, but the data have 1 class")
            if y.dtype.kind not in "fiu":
                y = y.astype(np.float64) if y.dtype.kind == "b" else y.astype(str)
        self._learn(X, y, self._weights(sample_weight, X), None, None, None, {"task": task})
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        mask = np.zeros(self.n_features_in_, dtype=bool)
        for part in range(self.model_.parts):
            mask[self.model_.weights(part)[0]] = True
        return mask
