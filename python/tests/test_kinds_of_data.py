"""What works for one kind of data works for the others: weights, products, batches."""

import os
import subprocess
import threading

import numpy as np
import pytest
import scipy.sparse

import thresh


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(11)
    x = np.where(rng.random((600, 8)) < 0.6, rng.normal(size=(600, 8)), 0.0)
    return x, np.where(x[:, 0] * x[:, 3] + 0.1 * x[:, 5] > 0, 1.0, -1.0)


def write_svm(path, x, y):
    lines = (" ".join([f"{label:g}"] + [f"{j}:{value!r}" for j, value in enumerate(row.tolist()) if value != 0])
             for row, label in zip(x, y))
    path.write_text("\n".join(lines) + "\n")


def run(folder, *arguments):
    subprocess.run([os.environ["THRESH_PROGRAM"], *arguments, "-q"], cwd=folder, check=True)


def test_texts_have_weights(tmp_path):
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(["buy", "cheap", "see", "you", "now", "later"], 4)) for _ in range(300)]
    labels = ["spam" if "buy" in text or "now" in text else "ham" for text in texts]
    weights = rng.integers(0, 4, 300).astype(float)
    (tmp_path / "t.txt").write_text("".join(f"{label}\t{text}\n" for label, text in zip(labels, texts)))
    (tmp_path / "w.txt").write_text("".join(f"{weight}\n" for weight in weights))
    plain = thresh.train(texts, labels, features=3)
    model = thresh.train(texts, labels, sample_weight=weights, features=3)
    run(tmp_path, "train", "t.txt", "--format", "text", "--weights", "w.txt", "--features", "3", "-o", "m")
    program = thresh.Model.load(tmp_path / "m")
    assert [a.tolist() for a in model.weights()] == [a.tolist() for a in program.weights()]
    assert model.intercept() == program.intercept() != plain.intercept()
    wrong = np.where(np.arange(300) < 200, 0.0, 1.0)
    assert model.evaluate(texts, labels, wrong)["rows"] == 300
    with pytest.raises(thresh.UsageError, match=r"sample_weight has shape \(2,\)"):
        thresh.train(texts, labels, sample_weight=[1, 2])
    with pytest.raises(thresh.UsageError, match="row 1: weight is not a finite number >= 0"):
        thresh.train(texts[:3], labels[:3], sample_weight=[1, -2, 1])
    with pytest.raises(thresh.UsageError, match="no weight is above zero"):
        thresh.train(texts, labels, sample_weight=np.zeros(300))


def test_batches_are_predicted(rows):
    x, y = rows
    model = thresh.train(x, y, features=4)
    parts = np.split(x, [100, 101, 400])
    assert np.array_equal(model.predict(iter(parts)), model.predict(x))
    assert np.array_equal(model.margin((scipy.sparse.csr_matrix(part), None) for part in parts), model.margin(x))
    assert np.array_equal(model.probability(iter(parts)), model.probability(x))
    labelled = ((x[part], y[part]) for part in np.split(np.arange(600), 5))
    assert model.evaluate(labelled) == model.evaluate(x, y)
    assert model.predict(iter([])).shape == (0,)
    threads = []
    model.predict(threads.append(threading.get_ident()) or part for part in parts)
    assert set(threads) == {threading.get_ident()}  # a cursor of a database may be bound to it
    with pytest.raises(ZeroDivisionError):
        model.predict(1 / 0 for _ in range(2))
    with pytest.raises(thresh.UsageError, match="no labels"):
        model.evaluate(iter(parts))
    texts = thresh.train(["aa bb", "cc dd"] * 30, ["u", "v"] * 30)
    with pytest.raises(thresh.UsageError, match="not on arrays"):
        texts.predict(iter(parts))


def test_estimators_predict_batches(rows):
    pytest.importorskip("sklearn")
    x, y = rows
    model = thresh.Classifier(features=4).fit((x[part], y[part]) for part in np.split(np.arange(600), 5))
    assert np.array_equal(model.predict(iter(np.split(x, 3))), model.predict(x))
    assert np.array_equal(model.predict_proba(iter(np.split(x, 3))), model.predict_proba(x))
    with pytest.raises(ValueError, match="a batch has 3 features, but Classifier is expecting 8 features"):
        model.predict(iter([x[:, :3]]))


@pytest.mark.parametrize("asked", ["0:3", "0:*,5:5", "*:*"])
def test_arrays_have_products(rows, asked, tmp_path):
    x, y = rows
    write_svm(tmp_path / "rows.svm", x, y)
    run(tmp_path, "train", "rows.svm", "--zero-based", "--features", "4", "--interactions", asked, "-o", "m")
    program = thresh.Model.load(tmp_path / "m")
    for data in (x, scipy.sparse.csr_matrix(x), scipy.sparse.csc_matrix(x), np.asfortranarray(x)):
        model = thresh.train(data, y, features=4, interactions=asked)
        assert model.to_bytes() == program.to_bytes()
        assert np.array_equal(model.margin(data), program.margin(tmp_path / "rows.svm"))
    assert ("0*3", program.weights()[1][np.abs(program.weights()[1]).argmax()]) == model.strongest(1)[0]


def test_estimators_have_products(rows):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    x, y = rows
    frame = pd.DataFrame(x, columns=list("abcdefgh"))
    model = thresh.Classifier(features=3, interactions="a:*").fit(frame, y)
    assert model.model_.strongest(1)[0][0] == "a*d"
    assert model.n_features_in_ == 8 and model.coef_.shape[1] > 8
    products = {each["index"]: x[:, each["first"]] * x[:, each["second"]] for each in model.model_.info["products"]}
    margins = model.intercept_ + x @ model.coef_[0, :8] + sum(model.coef_[0, i] * v for i, v in products.items())
    np.testing.assert_allclose(model.decision_function(frame), margins)
    assert model.score(frame, y) > 0.9 > thresh.Classifier(features=3).fit(frame, y).score(frame, y)
    with pytest.raises(TypeError, match="interactions"):
        thresh.Selector(interactions="a:b")
    with pytest.raises(thresh.Error, match="nothing"):
        thresh.Classifier(features=3, interactions="a:nothing").fit(frame, y)
    with pytest.raises(thresh.UsageError, match="not to batches"):
        thresh.train(iter([(x, y)]), interactions="0:1")
