"""Options that came later give the program's model, too, or are refused where they cannot work."""

import os
import subprocess

import numpy as np
import pytest

import thresh
from test_data import libsvm, program, refused

PROGRAM = os.environ.get("THRESH_PROGRAM")
needs_estimators = pytest.mark.usefixtures("estimators")


@pytest.fixture(scope="module")
def estimators():
    pytest.importorskip("sklearn", minversion="1.4")


@pytest.fixture(scope="module")
def counts(rows):
    x, _ = rows
    rate = np.exp(0.2 * x[:, 3].toarray().ravel() - 0.1 * x[:, 11].toarray().ravel())
    return np.random.default_rng(5).poisson(np.clip(rate, 0, 50)).astype(float)


@needs_estimators
@pytest.mark.parametrize("options, flags", [
    ({"loss": "poisson", "features": 4}, ["--features", "4"]),
    ({"loss": "poisson", "solver": "l1", "lambda": 0.05}, ["--solver", "l1", "--lambda", "0.05"]),
    ({"loss": "huber", "huber_delta": 0.5, "features": 4}, ["--huber-delta", "0.5", "--features", "4"]),
    ({"loss": "quantile", "quantile": 0.9, "solver": "l1"}, ["--quantile", "0.9", "--solver", "l1"]),
])
def test_losses_of_numbers(rows, counts, tmp_path, options, flags):
    x, _ = rows
    libsvm(x, counts, tmp_path / "rows.svm")
    expected = program(tmp_path / "rows.svm", x.shape[1], tmp_path, "--loss", options["loss"], *flags)
    assert thresh.train(x, counts, **options).to_bytes() == expected
    mine = {"lambda_" if name == "lambda" else name: value for name, value in options.items()}
    assert thresh.Regressor(**mine).fit(x, counts).model_.to_bytes() == expected


@needs_estimators
def test_losses_of_numbers_are_for_regression(rows):
    x, y = rows
    with pytest.raises(ValueError, match="--loss quantile requires --task regression"):
        thresh.Classifier(loss="quantile").fit(x, y)
    refused("label -1 is negative", x, -np.ones(len(y)), error=thresh.Error, loss="poisson")


@needs_estimators
@pytest.mark.parametrize("weights, flag", [("balanced", "balanced"), ({-1: 3, 1: 0.5}, "-1=3,1=0.5")])
def test_class_weights(rows, tmp_path, weights, flag):
    x, y = rows
    y = np.where(np.arange(len(y)) % 3 == 0, y, 1)
    libsvm(x, y, tmp_path / "rows.svm")
    expected = program(tmp_path / "rows.svm", x.shape[1], tmp_path, "--features", "5", "--class-weight", flag)
    assert thresh.train(x, y, features=5, class_weight=weights).to_bytes() == expected
    assert thresh.Classifier(features=5, class_weight=weights).fit(x, y).predict(x).shape == y.shape


@needs_estimators
def test_class_weights_of_texts():
    texts, labels = ["cheap pills", "see you", "cheap watches", "lunch with you"] * 30, ["spam", "ham"] * 60
    named = thresh.Classifier(class_weight={"spam": 5}).fit(texts, labels).model_.to_bytes()
    assert named == thresh.train(texts, labels, class_weight="spam=5").to_bytes()
    assert named != thresh.train(texts, labels).to_bytes()


def test_signs(rows, tmp_path):
    x, y = rows
    where, weights = thresh.train(x, y, features=5).weights()
    signs = [("-" if weight > 0 else "+") + str(index) for index, weight in zip(where, weights)]
    libsvm(x, y, tmp_path / "rows.svm")
    model = thresh.train(x, y, features=5, signs=signs)
    assert model.to_bytes() == program(tmp_path / "rows.svm", x.shape[1], tmp_path, "--features", "5",
                                       "--signs", ",".join(signs))
    assert not any(index in where for index in model.weights()[0])
    refused("no feature 150|feature 150|index 150", x, y, error=thresh.Error, features=5, signs="+150")


def test_signs_and_kept_columns_by_name(rows):
    pandas = pytest.importorskip("pandas")
    x, y = rows
    frame = pandas.DataFrame(x.toarray(), columns=[f"f{i}" for i in range(150)])
    by_name = thresh.train(frame, y, features=5, signs="-f0,+f2", keep="f9")
    by_number = thresh.train(x, y, features=5, signs="-0,+2", keep=[9])
    assert np.array_equal(by_name.weights()[0], by_number.weights()[0])
    assert np.array_equal(by_name.weights()[1], by_number.weights()[1])
    assert "f9" in dict(by_name.strongest())


@needs_estimators
def test_groups(rows, tmp_path):
    x, y = rows
    (tmp_path / "groups").write_text("".join(f"{i} g{i // 3}\n" for i in range(30)))
    libsvm(x, y, tmp_path / "rows.svm")
    model = thresh.train(x, y, features=6, groups=tmp_path / "groups")
    assert model.to_bytes() == program(tmp_path / "rows.svm", x.shape[1], tmp_path, "--features", "6",
                                       "--groups", str(tmp_path / "groups"))
    fitted = thresh.Classifier(features=6, solver_options={"groups": tmp_path / "groups"}).fit(x, y)
    assert fitted.model_.to_bytes() == model.to_bytes()


def test_fewest_errors(rows, tmp_path):
    x, y = rows
    libsvm(x, y, tmp_path / "rows.svm")
    model = thresh.train(x, y, features=3, ridge=0.1, fewest_errors=True)
    assert model.to_bytes() == program(tmp_path / "rows.svm", x.shape[1], tmp_path, "--features", "3", "--ridge", "0.1",
                                       "--fewest-errors")
    refused("requires --ridge", x, y, features=3, fewest_errors=True)


@needs_estimators
def test_proofs(rows, tmp_path):
    x, y = rows
    x = x[:, :20]
    libsvm(x, y, tmp_path / "rows.svm")
    model = thresh.train(x, y, features=2, prove=0.01)
    assert model.to_bytes() == program(tmp_path / "rows.svm", 20, tmp_path, "--features", "2", "--prove", "1%")
    certificate = model.report["certificate"]
    assert certificate["bound"] >= 0.99 * certificate["objective"] and certificate["tree"]
    assert thresh.verify(model, x, y)["holds"]
    flipped = np.where(np.arange(len(y)) == 7, -y, y)
    assert not thresh.verify(model, x, flipped)["holds"]
    fitted = thresh.Classifier(features=2, certify=True, prove="1%", prove_time="1m").fit(x, y)
    assert fitted.model_.to_bytes() == model.to_bytes()
    refused("--prove-time requires --prove", x, y, features=2, prove_time="1m")
    refused("write a time such as", x, y, features=2, prove=0.01, prove_time="soon")


@needs_estimators
def test_thresholds(rows, tmp_path):
    x, y = rows
    y = np.where(np.arange(len(y)) % 4 == 0, y, -1)
    libsvm(x, y, tmp_path / "rows.svm")
    plain = thresh.Classifier(features=5).fit(x, y)
    model = thresh.Classifier(features=5, threshold_by="recall=0.9").fit(x, y)
    assert model.model_.to_bytes() == program(tmp_path / "rows.svm", x.shape[1], tmp_path, "--features", "5",
                                              "--threshold-by", "recall=0.9")
    assert model.model_.info["threshold"] < 0 and plain.model_.info["threshold"] is None
    assert (model.predict(x) > 0).sum() > (plain.predict(x) > 0).sum()
    for each in (plain, model):
        assert np.array_equal(each.predict(x), each.model_.predict(x))
        assert np.array_equal(each.predict(x) > 0, each.decision_function(x) > 0)
    other = thresh.Classifier(features=5, threshold_by="recall=0.9", positive="-1").fit(x, y)
    assert np.array_equal(other.predict(x), other.model_.predict(x))


@needs_estimators
def test_thresholds_of_two_words_and_of_more_classes(rows):
    x, y = rows
    words = np.where(y > 0, "no", "yes")  # the last one is the positive one
    model = thresh.Classifier(features=5, threshold_by="f1").fit(x, words)
    assert np.array_equal(model.predict(x), model.model_.predict(x))
    three = np.arange(len(y)) % 3
    with pytest.raises(ValueError, match="two classes"):
        thresh.Classifier(features=5, threshold_by="f1").fit(x, three)


@pytest.fixture(scope="module")
def houses():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(8)
    words = ["quiet street", "noisy road", "garden, quiet", "big garden"]
    frame = pandas.DataFrame({"size": rng.integers(30, 200, 300).astype(float), "city": rng.choice(["Rome", "Oslo"], 300),
                              "remarks": rng.choice(words, 300)})
    price = frame["size"] * (1 + (frame.city == "Oslo")) + 20 * frame.remarks.str.contains("garden")
    return frame, np.where(price > 180, "dear", "cheap")


@needs_estimators
@pytest.mark.parametrize("options, flags", [
    ({"interactions": "size:city"}, ["--interactions", "size:city", "--ignore", "remarks"]),
    ({"text": "remarks", "ngrams": "1:2"}, ["--text", "remarks", "--ngrams", "1:2"]),
    ({"signs": "+size"}, ["--signs", "+size", "--ignore", "remarks"]),
])
def test_options_of_tables(houses, tmp_path, options, flags):
    frame, answers = houses
    if not PROGRAM:
        pytest.skip("THRESH_PROGRAM is not set")
    frame.assign(label=answers).to_csv(tmp_path / "rows.csv", index=False)
    if "text" not in options:
        options = {**options, "ignore": "remarks"}
    subprocess.run([PROGRAM, "train", "rows.csv", "--features", "3", "-q", "-o", "model", *flags], cwd=tmp_path, check=True)
    model = thresh.Classifier(features=3, **options).fit(frame, answers)
    assert model.model_.to_bytes() == (tmp_path / "model").read_bytes()
    assert model.score(frame, answers) > 0.8
    assert thresh.train(tmp_path / "rows.csv", features=3, **options).to_bytes() == model.model_.to_bytes()


@pytest.mark.parametrize("options, where", [
    ({"zero_based": True}, "files, not to arrays"), ({"text": "a"}, "tables, not to arrays"),
    ({"group": "a"}, "tables, not to arrays"), ({"time": "a"}, "tables, not to arrays"),
    ({"checkpoint": "c"}, "files, not to arrays"), ({"save_state": "s"}, "files, not to arrays"),
    ({"from_": "s"}, "files, not to arrays"), ({"hash_bits": 3}, "files, not to arrays"),
    ({"ngrams": "1:2"}, "only to texts"), ({"stem": "english"}, "only to texts"),
])
def test_what_arrays_cannot_have_is_refused(rows, tmp_path, monkeypatch, options, where):
    x, y = rows
    monkeypatch.chdir(tmp_path)
    refused(where, x, y, **options)
    refused(where, x.toarray(), y, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [{"certify": True}, {"prove": 0.01}, {"threshold_by": "f1"}])
def test_options_of_one_training_are_refused_elsewhere(rows, option):
    x, y = rows
    name = next(iter(option)).replace("_", "-")
    calls = {"cv": {}, "a frontier": {}, "a path": {"solver": "l1"}, "tune": {"grid": "beta=0.1,0.3", "features": 3},
             "diagnose": {}}
    for where, others in calls.items():
        function = getattr(thresh, where.split()[-1])
        with pytest.raises(thresh.UsageError, match=f"--{name} does not apply to {where}"):
            function(x, y, **others, **option)
    with pytest.raises(thresh.UsageError, match="--passes does not apply to diagnose"):
        thresh.diagnose(x, y, passes=3)
    with pytest.raises(thresh.UsageError, match="--by does not apply to a frontier"):
        thresh.frontier(x, y, by="auc")
    model = thresh.train(x, y, features=2, certify=True)
    for call, where in ((model.predict, "predictions"), (model.margin, "predictions"),
                        (lambda x, **options: model.evaluate(x, y, **options), "an evaluation"),
                        (lambda x, **options: thresh.verify(model, x, y, **options), "verify")):
        for name in ("features", "ridge"):
            with pytest.raises(thresh.UsageError, match=f"--{name} does not apply to {where}"):
                call(x, **{name: 1})


def test_a_path_takes_a_count_alone(rows):
    x, y = rows
    assert len(thresh.path(x, y, solver="l1", count=4)) == 4


def test_diagnose_takes_the_options_of_its_bound(rows):
    x, y = rows
    parts = [thresh.diagnose(x / 4, y, only="runtimes", epsilon=0.01, lambda_=strength).parts for strength in (1e-3, 1e-2)]
    assert parts[0] != parts[1]
    for wrong in ({"epsilon": 0}, {"epsilon": 1, "lambda": -1}, {"gamma": 0}):
        with pytest.raises(thresh.UsageError, match="must"):
            thresh.diagnose(x, y, **wrong)
