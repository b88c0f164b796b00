"""What people pass in notebooks gets the right answer or a clear error."""

import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import thresh

WORDS = np.array(["no", "yes"])


@pytest.fixture(scope="module")
def cancer():
    return pytest.importorskip("sklearn.datasets").load_breast_cancer(return_X_y=True)


def test_words_to_validate_on_are_those_learned_from(cancer):
    x, y = cancer
    some = np.flatnonzero(y == 1)
    by_number = thresh.train(x, y, valid=(x[some], y[some]))
    by_word = thresh.train(x, WORDS[y], valid=(x[some], WORDS[y[some]]))
    assert by_word.report["choice"]["chosen"] == by_number.report["choice"]["chosen"]
    estimator = thresh.Classifier().fit(x, WORDS[y], valid=(x[some], WORDS[y[some]]))
    assert estimator.report_["choice"]["chosen"] == by_number.report["choice"]["chosen"]
    texts = thresh.train(["aa bb", "cc dd"] * 30, ["u", "v"] * 30, valid=(["cc dd"] * 9, ["v"] * 9))
    assert texts.report["choice"]["chosen"]["valid_error"] == 0
    with pytest.raises(thresh.UsageError, match="the label 'maybe' is none of those learned from: no, yes"):
        thresh.train(x, WORDS[y], valid=(x[:2], ["no", "maybe"]))
    with pytest.raises(thresh.UsageError, match="a tuple of 3"):
        thresh.train(x, y, valid=(x, y, y))


def test_words_to_evaluate_on_are_those_learned_from(cancer, tmp_path):
    x, y = cancer
    model = thresh.train(x, WORDS[y], features=3)
    assert model.evaluate(x, WORDS[y])["error"] == pytest.approx(np.mean(model.predict(x) != WORDS[y]))
    with pytest.raises(thresh.UsageError, match="the label 'other' is none of"):
        model.evaluate(x, np.where(y, "yes", "other"))
    lines = "".join(f"{'spam' if i % 2 == 0 else 'ham'}\t{'buy this' if i % 2 == 0 else 'see you'}\n" for i in range(60))
    (tmp_path / "texts.tsv").write_text(lines)  # the first word is not the first of the alphabet
    read = thresh.train(tmp_path / "texts.tsv", format="text")
    assert read.evaluate(["buy this", "see you"], ["spam", "ham"])["error"] == 0
    assert read.evaluate(["buy this", "see you"], ["ham", "spam"])["error"] == 1


def test_evaluation_has_the_figures_of_the_program(cancer):
    x, y = cancer
    model = thresh.train(x, y, features=3)
    report = model.evaluate(x, y)
    predicted = model.predict(x)
    assert report["confusion"] == {"tp": np.sum(predicted & y), "fp": np.sum(predicted & (1 - y)),
                                   "tn": np.sum((1 - predicted) & (1 - y)), "fn": np.sum((1 - predicted) & y)}
    assert report["intervals"]["f1"][0] < report["f1"] < report["intervals"]["f1"][1]
    assert report["labels"] == {"positive": 1, "negative": 0} and len(report["curve"]) > 2
    three = np.arange(len(y)) % 3
    classes = thresh.train(x, three, solver="l1").evaluate(x, three)["classes"]
    assert [each["label"] for each in classes] == [0, 1, 2]
    assert "rmse" in thresh.train(x, y, task="regression", features=2).evaluate(x, y)["intervals"]


def test_one_row(cancer):
    x, y = cancer
    model = thresh.train(x, WORDS[y], features=3)
    where = np.arange(30)
    assert [model.predict_row(where, row) for row in x[:50]] == list(model.predict(x[:50]))
    numbers = thresh.train(x, y, features=3)
    assert numbers.predict_row(where, x[0]) == numbers.predict(x[:1])[0]
    assert isinstance(numbers.predict_row(where, x[0]), int)
    for wrong, what in ((([0], [1.0], "odds"), "label, margin or probability"), (([-1], [1.0]), "not be negative"),
                        (([0, 1], [1.0]), "2 indices, but 1 values")):
        with pytest.raises(thresh.UsageError, match=what):
            model.predict_row(*wrong)


def test_numbers_of_numpy_are_options(cancer):
    x, y = cancer
    plain = thresh.train(x, y, density=0.125, passes=3).to_bytes()
    assert thresh.train(x, y, density=np.float32(0.125), passes=np.array(3)).to_bytes() == plain
    for state in (np.int32(7), np.uint8(7)):
        assert (thresh.Classifier(features=3, random_state=state).fit(x, y).model_.to_bytes()
                == thresh.Classifier(features=3, random_state=7).fit(x, y).model_.to_bytes())
    with pytest.raises(ValueError, match="random_state is .* must be an integer"):
        thresh.Classifier(random_state=np.random.default_rng(0)).fit(x, y)


def test_what_is_no_matrix_is_refused(cancer):
    x, y = cancer
    masked = np.ma.masked_greater(x, 1000)
    for call in (lambda: thresh.train(masked, y), lambda: thresh.Classifier().fit(masked, y),
                 lambda: thresh.train(x, y, features=2).predict(masked)):
        with pytest.raises(ValueError, match="masked values"):
            call()
    assert len(thresh.train(np.ma.masked_greater(x, 1e9), y, features=3)) == 3  # none are masked
    for wrong, what in ((((x, y),), "not a matrix"), ((["a", None], [0, 1]), "text 1 is not a string: None"),
                        ((x, "target"), "y is a string"), ((None,), "2D array"), (([], []), "2D array")):
        with pytest.raises(thresh.UsageError, match=what):
            thresh.train(*wrong)
    with pytest.raises(TypeError):
        thresh.Model.from_bytes("text")


def test_what_is_wrong_is_said(cancer):
    pd = pytest.importorskip("pandas")
    x, y = cancer
    for texts, wrong in ((["a", None], "text 1 is not a string: None"), ([float("nan"), "a"], "text 0 .*: nan"),
                         (pd.Series(["a", None]), "text 1 is not a string"), ((1, "a"), "text 0 .*: 1")):
        for learn in (thresh.train, thresh.Classifier().fit):
            with pytest.raises(thresh.UsageError, match=wrong):
                learn(texts, [0, 1])
    with pytest.raises(ValueError, match="sample_weight is negative for row 2"):
        thresh.Classifier().fit(x, y, sample_weight=np.where(np.arange(len(y)) == 2, -1, 1))
    with pytest.raises(ValueError, match="1 class: 'yes'"):
        thresh.Classifier().fit(x, WORDS[np.ones(len(y), int)])
    pytest.importorskip("pyarrow")
    with pytest.raises(thresh.UsageError, match="column mixed"):
        thresh.train(pd.DataFrame({"mixed": [1, "a"] * 2}), [0, 1, 0, 1])


def test_bad_rows_to_predict_are_named(cancer):
    x, y = cancer
    model = thresh.Classifier(features=5).fit(x, y)
    many = np.tile(x, (8, 1))
    many[3000, 3] = np.inf
    for rows in (many, scipy.sparse.csr_matrix(many), scipy.sparse.csc_matrix(many)):
        with pytest.raises(thresh.UsageError, match="row 3000: value of feature 3 is not finite"):
            model.model_.margin(rows)
        for method in (model.predict, model.predict_proba, model.decision_function):
            with pytest.raises(ValueError, match="Input X contains infinity"):
                method(rows)
    many[3000, 3] = 0
    rows = scipy.sparse.csr_matrix(many)
    rows.data[0] = 0  # stored
    expected = rows @ model.coef_[0] + model.intercept_[0]
    for kind in (np.int32, np.int64):
        rows.indices, rows.indptr = rows.indices.astype(kind), rows.indptr.astype(kind)
        np.testing.assert_allclose(model.decision_function(rows), expected)
        np.testing.assert_allclose(model.decision_function(rows.astype(np.float32)), expected, rtol=1e-3, atol=1e-3)


def test_rows_count_from_0(cancer):
    x, y = cancer
    model = thresh.train(x, y, features=3)
    with pytest.raises(thresh.Error, match="row 4: label 7 "):
        model.evaluate(x, np.where(np.arange(len(y)) == 4, 7, y))


def test_frames(cancer):
    pandas = pytest.importorskip("pandas")
    x, y = cancer
    sparse = scipy.sparse.csr_matrix(np.where(x > 1, x, 0))
    frame = pandas.DataFrame.sparse.from_spmatrix(sparse)
    assert np.array_equal(thresh.Classifier(features=3).fit(frame, y).coef_,
                          thresh.Classifier(features=3).fit(sparse, y).coef_)
    assert thresh.train(frame, y, features=3).to_bytes() == thresh.train(sparse, y, features=3).to_bytes()
    texts = pandas.Series(["good day", "bad night"] * 20)
    model = thresh.Classifier().fit(texts, pandas.Series(["up", "down"] * 20))
    assert list(model.predict(pandas.Series(["good day", "bad night"]))) == ["up", "down"]
    words = pandas.DataFrame({"a": ["x", "y"]})
    with pytest.raises(ValueError, match="no rows"):
        thresh.Classifier().fit(words.iloc[:0], [])
    with pytest.raises(ValueError, match="Selector takes matrices"):
        thresh.Selector().fit(words, [0, 1])


def test_estimators_that_are_not_fitted_say_so(cancer):
    from sklearn.exceptions import NotFittedError
    x, y = cancer
    for estimator, method in ((thresh.Classifier(), "predict"), (thresh.Classifier(), "predict_proba"),
                              (thresh.Regressor(), "predict"), (thresh.Selector(), "transform")):
        with pytest.raises(NotFittedError):
            getattr(estimator, method)(x)


def test_notebooks_show_size_error_and_features(cancer):
    x, y = cancer
    estimator = thresh.Classifier(features=3)
    assert "held-out" not in estimator._repr_html_()
    estimator.fit(x, y)
    shown = estimator.model_._repr_html_()
    assert re.search("3 of 30 features, error on held-out rows 0.0", shown) and "<td>24</td>" in shown
    assert shown in estimator._repr_html_() and shown in estimator._repr_mimebundle_()["text/html"]


def test_metadata_threads_and_weights(cancer):
    import sklearn
    from joblib import parallel_backend
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    x, y = cancer
    weights = np.where(y == 0, 9.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), thresh.Classifier(features=3).set_fit_request(sample_weight=True))
        routed = pipe.fit(x, y, sample_weight=weights)[-1]
    scaled = StandardScaler().fit_transform(x)
    assert np.array_equal(routed.coef_, thresh.Classifier(features=3).fit(scaled, y, sample_weight=weights).coef_)
    alone = cross_val_score(thresh.Classifier(features=3), x, y, cv=3)
    with parallel_backend("threading", n_jobs=2):
        assert np.array_equal(alone, cross_val_score(thresh.Classifier(features=3), x, y, cv=3))
        search = GridSearchCV(thresh.Classifier(), {"features": [1, 3]}, cv=3).fit(x, y)
    assert search.best_params_["features"] == 3


MEMORY = """
import sys, numpy as np, scipy.sparse, thresh
def now(what):
    return int(next(line for line in open("/proc/self/status") if line.startswith(what)).split()[1]) / 1024
rng = np.random.default_rng(0)
rows, each = 150_000, 60
indices = np.sort(rng.integers(0, 500, (rows, each)), axis=1) * each + np.arange(each)
values = rng.integers(1, 9, rows * each).astype(float)
x = scipy.sparse.csr_matrix((values, indices.ravel().astype(np.int32), np.arange(0, rows * each + 1, each, dtype=np.int32)))
x = x if sys.argv[1] == "csr" else np.asarray(rng.normal(size=(2 * rows, 90)), order=sys.argv[1])
y = np.where(rng.random(x.shape[0]) < 0.5, -1.0, 1.0)
how = dict(solver="ftrl", passes=2)
model = thresh.train(x[:2000], y[:2000], **how)
try:
    open("/proc/self/clear_refs", "w").write("5")  # from here on, the peak is of what follows
except OSError:
    sys.exit(77)
before = now("VmRSS")
model = thresh.train(x, y, **how)
model.predict(x)
print(now("VmHWM") - before)
"""


@pytest.mark.parametrize("kind", ["csr", "C", "F"])
def test_there_is_no_second_copy(kind):
    """X has 103 MiB, or 206 if it is dense. The rows on their way to the learner need some, if they are not those of X."""
    run = subprocess.run([sys.executable, "-c", MEMORY, kind], capture_output=True, text=True)
    if run.returncode == 77:
        pytest.skip("the peak of memory cannot be reset")
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < (25 if kind == "csr" else 150)


def test_the_bar_comes_to_its_end(cancer, capsys):
    pytest.importorskip("tqdm")
    x, y = cancer
    thresh.train(x, y, features=3, progress=True)
    assert "100%" in capsys.readouterr().err
    with pytest.raises(thresh.Error):
        thresh.train(x, np.zeros(len(y)), features=3, progress=True)
    assert "100%" not in capsys.readouterr().err


def test_plots(cancer):
    pytest.importorskip("matplotlib").use("Agg")
    x, y = cancer
    sizes = thresh.frontier(x, y, budgets=[1, 2, 4], solvers=["budget", "ftrl"])
    axes = sizes.plot()
    assert [line.get_label() for line in axes.lines] == ["budget", "ftrl"]
    assert list(axes.lines[0].get_xdata()) == [p["nonzeros"] for p in sizes if p["solver"] == "budget"]
    assert thresh.path(x / x.max(axis=0), y, solver="l1", count=3).plot(axes) is axes
