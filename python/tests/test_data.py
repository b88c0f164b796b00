"""Every kind of data gives the model that the program makes, without a copy; bad data are refused."""

import os
import subprocess

import numpy as np
import pytest
import scipy.sparse

import thresh
from thresh import _data

PROGRAM = os.environ.get("THRESH_PROGRAM")


def libsvm(x, y, path):
    x = scipy.sparse.csr_matrix(x)
    with open(path, "w") as file:
        for i in range(x.shape[0]):
            row = slice(x.indptr[i], x.indptr[i + 1])
            entries = " ".join(f"{j}:{float(v)!r}" for j, v in zip(x.indices[row], x.data[row]))
            file.write(f"{y[i]} {entries}\n")


def program(path, columns, folder, *options):
    if not PROGRAM:
        pytest.skip("THRESH_PROGRAM is not set")
    model = folder / "program.thresh"
    subprocess.run([PROGRAM, "train", path, "--zero-based", "--dim", str(columns), "-q", "-o", model, *options],
                   check=True)
    return model.read_bytes()


def kinds(x):
    dense = x.toarray()
    wide = np.zeros((2 * x.shape[0], 2 * x.shape[1]))
    wide[::2, ::2] = dense
    read_only = dense.copy()
    read_only.setflags(write=False)
    long = x.copy()
    long.indices, long.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    unsorted = x.copy()
    for i in range(x.shape[0]):
        row = slice(x.indptr[i], x.indptr[i + 1])
        unsorted.indices[row] = unsorted.indices[row][::-1]
        unsorted.data[row] = unsorted.data[row][::-1]
    unsorted.has_sorted_indices = unsorted.has_canonical_format = False
    return {"csr": x, "csr 64": long, "csr float": x.astype(np.float32), "csc": x.tocsc(), "coo": x.tocoo(),
            "unsorted": unsorted, "C": dense, "F": np.asfortranarray(dense), "float": dense.astype(np.float32),
            "F float": np.asfortranarray(dense, dtype=np.float32), "every second": wide[::2, ::2],
            "backwards": np.ascontiguousarray(dense[::-1, ::-1])[::-1, ::-1], "read-only": read_only,
            "object": dense.astype(object), "big-endian": dense.astype(">f8"), "list": dense.tolist(),
            "batches": iter([(x[i:i + 170], None) for i in range(0, x.shape[0], 170)])}


def test_all_kinds_give_the_model_of_the_program(rows, tmp_path):
    x, y = rows
    libsvm(x, y, tmp_path / "rows.svm")
    expected = program(tmp_path / "rows.svm", x.shape[1], tmp_path)
    for name, data in kinds(x).items():
        if name == "batches":
            model = thresh.train(iter([(x[i:i + 170], y[i:i + 170]) for i in range(0, 1200, 170)]))
        else:
            model = thresh.train(data, y)
        assert model.to_bytes() == expected, name
    assert thresh.train(tmp_path / "rows.svm", zero_based=True, dim=x.shape[1]).to_bytes() == expected
    mapped = np.memmap(tmp_path / "rows.bin", dtype=np.float64, mode="w+", shape=x.shape)
    mapped[:] = x.toarray()
    assert thresh.train(mapped, y).to_bytes() == expected


@pytest.mark.parametrize("options, flags", [
    ({"features": 7, "seed": 3}, ["--features", "7", "--seed", "3"]),
    ({"solver": "l1", "lambda": 1e-3, "normalize": "l2"}, ["--solver", "l1", "--lambda", "1e-3", "--normalize", "l2"]),
    ({"solver": "ftrl", "passes": 2, "intercept": False, "beta": 0.5},
     ["--solver", "ftrl", "--passes", "2", "--no-intercept", "--beta", "0.5"]),
    ({"task": "regression", "density": 0.05, "holdout": 0.2}, ["--task", "regression", "--density", "5%", "--holdout", "20%"]),
    ({"solver": "fobos", "memory": "1MB", "scale": "max"}, ["--solver", "fobos", "--memory", "1MB", "--scale", "max"]),
])
def test_options_are_those_of_the_program(rows, tmp_path, options, flags):
    x, y = rows
    libsvm(x, y, tmp_path / "rows.svm")
    assert thresh.train(x, y, **options).to_bytes() == program(tmp_path / "rows.svm", x.shape[1], tmp_path, *flags)


def test_wide_rows_end_blocks_like_a_file(tmp_path):
    x = np.random.default_rng(0).integers(0, 3, size=(900, 400)).astype(float)
    y = np.where(x[:, 3] > x[:, 9], 1, -1)
    libsvm(x, y, tmp_path / "rows.svm")
    expected = program(tmp_path / "rows.svm", 400, tmp_path, "--solver", "fobos")
    for data in (x, np.asfortranarray(x), scipy.sparse.csr_matrix(x)):
        assert thresh.train(data, y, solver="fobos").to_bytes() == expected


def test_there_is_no_copy(rows):
    x, y = rows
    dense = x.toarray()
    for data in (x, x.astype(np.float32), dense, np.asfortranarray(dense), dense[::2]):
        seen = _data.as_matrix(data)
        assert seen is data or np.shares_memory(seen, data)


def test_texts_and_words(tmp_path):
    texts = ["cheap pills now", "see you\nat lunch", "cheap\twatches", "lunch with you"] * 30
    labels = ["spam", "ham"] * 60
    model = thresh.train(texts, labels)
    assert list(model.predict(["cheap cheap", "lunch"])) == ["spam", "ham"]
    path = tmp_path / "texts.tsv"
    path.write_text("".join(f"{label}\t{text}\n" for label, text in zip(labels, (" ".join(t.split()) for t in texts))))
    assert thresh.train(path, format="text").to_bytes() == model.to_bytes()
    assert model.evaluate(texts, labels)["error"] == 0
    assert thresh.train(texts, labels, ngrams="1:2").info["dimension"] > model.info["dimension"]


def test_tables_by_path(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("size,color,label\n" + "".join(f"{i % 7},{'red' if i % 3 else 'blue'},{'ab'[i % 3 == 0]}\n" for i in range(200)))
    model = thresh.train(path)
    assert sorted(model.classes) == ["a", "b"]
    assert len(model.predict(path)) == 200


def refused(match, x, y=None, error=ValueError, **options):
    with pytest.raises(error, match=match):
        thresh.train(x, y, **options)


def test_bad_data_are_refused(rows):
    x, y = rows
    dense = x.toarray()
    refused("y has shape", x, y[:-1])
    refused("need labels", x)
    refused("2D", dense[0], y)
    refused("not all values are numbers", np.array([["a"], [None]], dtype=object), [0, 1])
    refused("not numbers", np.array([["a"], ["b"]]), [0, 1])
    refused("Complex", dense.astype(complex), y)
    broken = dense.copy()
    broken[5, 7] = np.nan
    refused("row 5: value of feature 7 is not finite", broken, y)
    refused("row 5: value of feature 7 is not finite", np.asfortranarray(broken), y)
    refused("weight is not a finite number", x, y, sample_weight=np.full(len(y), -1.0))
    refused("no weight is above zero", x, y, sample_weight=np.zeros(len(y)))
    refused("label is not finite", x, np.full(len(y), np.nan))
    refused("did you mean lambda", x, y, lamda=1)
    refused("applies to files", x, y, format="csv")
    refused("no rows|empty|row", np.zeros((0, 3)), np.zeros(0), error=thresh.Error)
    refused("no/such/file", "no/such/file", error=thresh.Error)

    def failing():
        yield x, y
        raise KeyError("mine")

    refused("mine", failing(), error=KeyError)


def test_weights_count(rows):
    x, y = rows
    weights = np.random.default_rng(0).integers(1, 4, size=len(y)).astype(float)
    plain = thresh.train(x, y, solver="ftrl").to_bytes()
    assert thresh.train(x, y, solver="ftrl", sample_weight=weights).to_bytes() != plain
    assert thresh.train(x, y, solver="ftrl", sample_weight=np.full(len(y), 2.0)).to_bytes() == plain
    batches = iter([(x[i:i + 100], y[i:i + 100], weights[i:i + 100]) for i in range(0, 1200, 100)])
    assert (thresh.train(batches, solver="ftrl").to_bytes()
            == thresh.train(x, y, solver="ftrl", sample_weight=weights).to_bytes())


def test_models_of_files_that_count_from_one(rows, tmp_path):
    x, y = rows
    x = scipy.sparse.csr_matrix(x[:, :-1])
    shifted = scipy.sparse.hstack([scipy.sparse.csr_matrix((x.shape[0], 1)), x], "csr")
    libsvm(shifted, y, tmp_path / "rows.svm")
    ours, theirs = thresh.train(x, y, features=5), thresh.train(tmp_path / "rows.svm", features=5)
    assert np.array_equal(theirs.weights()[0], ours.weights()[0] + 1)
    assert np.array_equal(theirs.coef(x.shape[1]).toarray(), ours.coef().toarray())
    assert np.array_equal(theirs.margin(x), ours.margin(x))
    texts = thresh.train(["a bad one", "good one", "bad", "so good"] * 10, [0, 1, 0, 1] * 10, features=2)
    assert texts.coef().nnz == 2 and texts.coef().shape == (1, texts.info["dimension"])


def test_predictions(rows, tmp_path):
    x, y = rows
    model = thresh.train(x, y)
    margins = model.margin(x)
    assert np.allclose(margins, x @ model.coef().toarray()[0] + model.intercept(), atol=1e-9)
    assert np.array_equal(model.predict(x), np.where(margins > 0, 1, -1))
    assert np.array_equal(model.margin(x.toarray()), margins)
    row = x[3]
    assert model.predict_row(row.indices, row.data, "margin") == margins[3]
    libsvm(x, y, tmp_path / "rows.svm")
    assert np.array_equal(model.margin(tmp_path / "rows.svm"), margins)
    assert model.evaluate(x, y)["accuracy"] == np.mean(model.predict(x) == y)
    model.save(tmp_path / "a.thresh")
    assert thresh.Model.load(tmp_path / "a.thresh").to_bytes() == model.to_bytes()
    model.export(tmp_path / "a.json")
    assert (tmp_path / "a.json").stat().st_size > 100
    assert "<table>" in model._repr_html_()


def test_a_cache_gives_the_model_of_the_file(rows, tmp_path):
    x, y = rows
    libsvm(x, y, tmp_path / "rows.svm")
    how = dict(zero_based=True, dim=x.shape[1])
    cache = thresh.Cache(tmp_path / "rows.svm", zero_based=True)
    assert (cache.rows, cache.bad_rows) == (x.shape[0], 0)
    assert cache.path == tmp_path / "rows.svm.cache" and cache.bytes == cache.path.stat().st_size
    model = thresh.train(cache, **how)
    assert model.to_bytes() == thresh.train(tmp_path / "rows.svm", **how).to_bytes()
    assert (model.predict(cache) == model.predict(tmp_path / "rows.svm")).all()
    assert "1,200 rows" in repr(cache)
    named = thresh.Cache(tmp_path / "rows.svm", tmp_path / "other", zero_based=True)
    assert named.path.read_bytes() == cache.path.read_bytes()


def test_caches_of_nothing_are_refused(tmp_path):
    (tmp_path / "bad.svm").write_text("1 1:1\n1 x\n")
    for wrong, how in ((thresh.Error, {}), (thresh.UsageError, {"features": 3})):
        with pytest.raises(wrong):
            thresh.Cache(tmp_path / "bad.svm", **how)
    with pytest.raises(thresh.UsageError):
        thresh.Cache(tmp_path / "bad.svm", tmp_path / "bad.svm")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.svm"]
    assert thresh.Cache(tmp_path / "bad.svm", on_bad_row="skip").bad_rows == 1


def test_sparse_arrays_that_do_not_belong_together_are_refused(rows):
    model = thresh.train(scipy.sparse.csr_matrix(rows[0]), rows[1], features=2)
    for name in ("indptr", "indices"):
        matrix = scipy.sparse.csr_matrix(rows[0])
        setattr(matrix, name, getattr(matrix, name)[:-5])
        with pytest.raises(thresh.UsageError, match="do not belong together"):
            model.margin(matrix)
