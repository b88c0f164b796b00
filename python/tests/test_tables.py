"""Tables with words, dates and missing values, from the libraries that are there."""

import os
import subprocess

import numpy as np
import pytest

import thresh

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    n = 400
    frame = pd.DataFrame({
        "age": rng.integers(18, 80, n).astype(float),
        "city": rng.choice(["Rome", "Oslo", "Bern, CH", '"Q"'], n),
        "when": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        "ok": rng.random(n) < 0.5,
        "x": rng.normal(size=n),
        "tier": pd.Categorical(rng.integers(1, 4, n)),
    })
    frame.loc[::7, "age"] = np.nan
    return frame


@pytest.fixture(scope="module")
def answers(frame):
    score = frame.x + 2 * (frame.city == "Oslo") + 0.02 * frame.age.fillna(40)
    return np.where(score > 1.5, "yes", "no")


def test_a_frame_gives_the_model_of_its_file(frame, answers, tmp_path):
    file = frame.assign(ok=frame.ok.astype(int), label=answers)
    file.to_csv(tmp_path / "rows.csv", index=False)
    subprocess.run([os.environ["THRESH_PROGRAM"], "train", "rows.csv", "--features", "4", "--categorical", "tier", "--date", "when",
                    "-q", "-o", "model"], cwd=tmp_path, check=True)
    model = thresh.Classifier(features=4, date="when").fit(frame, answers)
    assert model.model_.to_bytes() == (tmp_path / "model").read_bytes()
    assert model.n_features_in_ == 6
    assert list(model.classes_) == ["no", "yes"]


def test_other_libraries_give_the_same_predictions(frame, answers):
    pa = pytest.importorskip("pyarrow")
    model = thresh.Classifier(features=4).fit(frame, answers)
    arrow = pa.Table.from_pandas(frame)
    tables = [arrow]
    for name, make in (("polars", lambda m: m.from_pandas(frame)), ("duckdb", lambda m: m.from_arrow(arrow))):
        try:
            tables.append(make(__import__(name)))
        except ImportError:
            continue
    for table in tables:
        np.testing.assert_array_equal(model.predict(table), model.predict(frame))
        other = thresh.Classifier(features=4).fit(table, answers)
        np.testing.assert_array_equal(other.predict(table), model.predict(frame))


def test_a_stream_is_read_to_its_end(frame, answers):
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pandas(frame)
    model = thresh.train(table, answers, features=4)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7))
    assert thresh.train(reader, answers, features=4).to_bytes() == model.to_bytes()
    part = thresh.train(table.slice(33, 200), answers[33:233], features=3)
    assert part.to_bytes() == thresh.train(frame.iloc[33:233], answers[33:233], features=3).to_bytes()
    before = pa.total_allocated_bytes()
    del table, reader
    rows = thresh._data.rows_of(pa.Table.from_pandas(frame), np.ones(400))
    assert pa.total_allocated_bytes() > 0 and rows.handle
    del rows  # the batches are released with it
    assert pa.total_allocated_bytes() <= before


def test_only_the_columns_of_the_model_are_needed_in_any_order(frame, answers):
    model = thresh.Classifier(features=3).fit(frame, answers)
    used = {name.split("=")[0].split(" is missing")[0] for name, _ in model.model_.strongest()}
    part = frame.iloc[50:90][sorted(used, reverse=True)]
    np.testing.assert_array_equal(model.predict(part), model.predict(frame)[50:90])


def test_regression_weights_and_cross_validation(frame, answers):
    from sklearn.model_selection import cross_val_score

    model = thresh.Regressor(features=3).fit(frame.drop(columns="x"), frame.x)
    assert model.predict(frame.drop(columns="x")).shape == (400,)
    weights = np.where(answers == "yes", 5.0, 1.0)
    heavy = thresh.Classifier(features=3).fit(frame, answers, sample_weight=weights)
    same = thresh.Classifier(features=3, class_weight={"yes": 5.0}).fit(frame, answers)
    assert heavy.model_.to_bytes() == same.model_.to_bytes()
    assert (heavy.predict(frame) == "yes").sum() > (answers == "yes").sum() * 0.9
    assert cross_val_score(thresh.Classifier(features=3), frame, answers, cv=3).mean() > 0.8
    assert heavy.model_.evaluate(frame, answers)["rows"] == 400


def test_a_frame_of_numbers_is_a_matrix(answers):
    x = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 3)), columns=["a", "b", "c"])
    model = thresh.Classifier(features=1).fit(x, answers)
    assert not model.model_.reads_tables
    with pytest.raises(ValueError):
        model.predict(x.assign(a="word"))


def test_the_index_is_no_column(frame, answers):
    some = np.random.default_rng(0).permutation(400)[:200]
    model = thresh.Classifier(features=4).fit(frame.iloc[some], answers[some])
    assert not any("index" in name for name, _ in model.model_.strongest())
    again = thresh.Classifier(features=4).fit(frame.iloc[some].reset_index(drop=True), answers[some])
    assert model.model_.to_bytes() == again.model_.to_bytes()


def test_errors(frame, answers):
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(thresh.UsageError, match="399 labels or weights for 400 rows"):
        thresh.Classifier().fit(frame, answers[:-1])
    with pytest.raises(thresh.UsageError, match="column l: cells of the Arrow type"):
        thresh.Classifier().fit(pa.table({"l": [[1], [2]] * 20}), [0, 1] * 20)
    with pytest.raises(thresh.Error, match="table:5: 'inf' in column x is not a finite number"):
        bad = frame.copy()
        bad.loc[3, "x"] = np.inf
        thresh.Classifier().fit(bad, answers)
    with pytest.raises(thresh.UsageError, match="ignore applies to tables"):
        thresh.Classifier(ignore="a").fit(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(thresh.Error, match="no column that the model uses"):
        thresh.Classifier(features=2).fit(frame, answers).predict(frame[["when"]].rename(columns={"when": "other"}))
