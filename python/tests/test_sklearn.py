"""The estimators keep scikit-learn's rules."""

import pickle

import numpy as np
import pytest
import scipy.sparse

sklearn = pytest.importorskip("sklearn", minversion="1.4")
from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_iris, make_regression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import thresh  # noqa: E402
from thresh import _estimators  # noqa: E402

ESTIMATORS = [thresh.Classifier(), thresh.Regressor(), thresh.Selector()]
REASON = "a row of weight 0 still takes its turn in the order of the rows"
EXEMPT = {"check_sample_weight_equivalence_on_dense_data": REASON,
          "check_sample_weight_equivalence_on_sparse_data": REASON}
NEW = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 6)
CHECKS = (parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda _: EXEMPT) if NEW
          else parametrize_with_checks(ESTIMATORS))


@CHECKS
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_parameters_are_the_options_of_the_program():
    described = thresh.describe()
    options = {option["name"] for option in described["options"] + described["reading"]}
    parameters = set(thresh.Classifier().get_params())
    for name in options - _estimators._NOT_PARAMETERS:
        assert _estimators.parameter_name(name) in parameters, name
    assert set(thresh.Regressor().get_params()) <= parameters
    with pytest.raises(TypeError, match="no parameter 'lamda'"):
        thresh.Classifier(lamda=1)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def test_pipelines_searches_and_jobs(cancer):
    x, y = cancer
    pipe = make_pipeline(StandardScaler(), thresh.Selector(features=8), thresh.Classifier(features=5))
    assert pipe.fit(x, y).score(x, y) > 0.9
    assert len(pipe[:-1].get_feature_names_out()) == 8
    grid = GridSearchCV(thresh.Classifier(solver="ftrl", passes=3), {"lambda_": [1e-4, 1e-2]}, cv=3, n_jobs=2)
    assert grid.fit(x / x.max(axis=0), y).best_score_ > 0.8
    alone = cross_val_score(thresh.Classifier(features=4), x, y, cv=3)
    together = cross_val_score(thresh.Classifier(features=4), x, y, cv=3, n_jobs=2)
    assert np.array_equal(alone, together)
    calibrated = CalibratedClassifierCV(thresh.Classifier(solver="margin-perceptron", features=20), cv=3)
    assert calibrated.fit(x / x.max(axis=0), y).predict_proba(x).shape == (len(y), 2)


def test_pickle_and_clone(cancer):
    x, y = cancer
    model = thresh.Classifier(features=3).fit(x, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.model_.to_bytes() == model.model_.to_bytes()
    assert np.array_equal(again.predict_proba(x), model.predict_proba(x))
    assert not hasattr(clone(model), "model_")


def test_class_weights_and_names(cancer):
    x, y = cancer
    plain = thresh.Classifier(solver="ftrl", passes=2).fit(x, y)
    heavy = thresh.Classifier(solver="ftrl", passes=2, class_weight={0: 20}).fit(x, y)
    by_row = thresh.Classifier(solver="ftrl", passes=2).fit(x, y, sample_weight=np.where(y == 0, 20.0, 1.0))
    assert np.array_equal(heavy.coef_, by_row.coef_)
    assert not np.array_equal(heavy.coef_, plain.coef_)
    words = np.array(["malignant", "benign"], dtype=object)[y]
    named = thresh.Classifier(features=3).fit(x, words)
    assert list(named.classes_) == ["benign", "malignant"]
    assert np.array_equal(named.predict(x) == "benign", thresh.Classifier(features=3).fit(x, y).predict(x) == 1)


def test_more_classes():
    x, y = load_iris(return_X_y=True)
    model = thresh.Classifier(solver="l1", lambda_=1e-3).fit(x, y)
    assert model.coef_.shape == (3, 4) and model.decision_function(x).shape == (len(y), 3)
    assert np.allclose(model.predict_proba(x).sum(axis=1), 1)


def test_partial_fit(cancer):
    x, y = cancer
    x = x / x.max(axis=0)
    model = thresh.Classifier(solver="ftrl", eta=1.0)
    order = np.argsort(y, kind="stable")  # some batches have one class
    for rows in np.array_split(order, 6):
        model.partial_fit(x[rows], y[rows], classes=[0, 1])
    assert model.score(x, y) > 0.3 and list(model.classes_) == [0, 1]
    for solver, why in (("l1", "needs all rows"), ("budget", "needs features or density")):
        with pytest.raises(AttributeError) as refusal:
            thresh.Classifier(solver=solver).partial_fit(x, y, classes=[0, 1])
        assert why in str(refusal.value.__cause__)
    with pytest.raises(ValueError, match="classes"):
        thresh.Classifier(solver="ftrl").partial_fit(x, y)


def test_large_coefficients_are_sparse():
    x = scipy.sparse.random(50, 2_000_000, 1e-5, format="csr", random_state=0)
    y = np.arange(50) % 2
    model = thresh.Classifier(features=5).fit(x, y)
    assert scipy.sparse.issparse(model.coef_) and model.coef_.shape == (1, 2_000_000)


def test_regressor_and_frames():
    x, y = make_regression(300, 12, n_informative=3, random_state=0)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(x, columns=[f"f{i}" for i in range(12)])
    model = thresh.Regressor(features=3).fit(frame, y)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.score(frame, y) > 0.95
    selected = thresh.Selector(features=3).set_output(transform="pandas").fit(frame, y)
    assert list(selected.transform(frame).columns) == [f"f{i}" for i in np.flatnonzero(model.coef_)]
