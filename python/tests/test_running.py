"""Threads, processes, interruptions and progress."""

import logging
import multiprocessing
import subprocess
import sys
import threading

import numpy as np
import pytest

import thresh


def test_progress_stops(rows):
    x, y = rows
    seen = []
    with pytest.raises(thresh.Stopped):
        thresh.train(x, y, progress=lambda doing, share: seen.append((doing, share)) or True)
    assert len(seen) == 1 and seen[0][0] == "choosing a size"

    def failing(doing, share):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        thresh.train(x, y, progress=failing)


BEGIN = """
import os, signal, threading, time, numpy as np, thresh
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in what they start with &
random = np.random.default_rng(0)
x = random.normal(size=(20000, 50))
y = (x[:, 0] + random.normal(size=20000) > 0).astype(float)
begun = threading.Event()
def interrupt():
    begun.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
watch = lambda doing, share: begun.set()
"""
TRAIN = """
model = thresh.train(x, y, solver="fobos", passes=1000000, progress=watch)
assert model.report["status"] == "stopped" and len(model) > 0
"""
FIT = """
estimator = thresh.Classifier(solver="fobos", passes=1000000)
try:
    estimator.fit(x, y, progress=watch)
    raise SystemExit("not interrupted")
except KeyboardInterrupt:
    assert len(estimator.model_) > 0 and len(estimator.predict(x)) == 20000
"""


@pytest.mark.parametrize("code", [TRAIN, FIT])
def test_interrupt_keeps_the_model_so_far(code):
    if code == FIT:
        pytest.importorskip("sklearn", minversion="1.4")
    subprocess.run([sys.executable, "-c", BEGIN + code], check=True, timeout=100)


SOON = """
import sys
random = np.random.default_rng(0)
x = random.normal(size=(60000, 60))
y = (x[:, :9].sum(axis=1) + random.normal(size=60000) > 0).astype(float)
work = {
    "train": lambda: thresh.train(x, y, passes=3000, progress=watch),
    "l1": lambda: thresh.train(x, y, solver="l1", lambda_=1e-9, progress=watch),
    "frontier": lambda: thresh.frontier(x, y, passes=3000, progress=watch),
    "cv": lambda: thresh.cv(x, y, solver="fobos", passes=3000, progress=watch),
    "tune": lambda: thresh.tune(x, y, solver="ftrl", grid="lambda=log:1e-7:1e-2:9", passes=300, progress=watch),
}[sys.argv[1]]
times = []
def interrupt():
    begun.wait()
    time.sleep(0.1)
    times.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    work()
except KeyboardInterrupt:
    pass
assert times, "it was over before"
assert time.process_time() - times[0] < 0.5, time.process_time() - times[0]
"""


# Processor time: the machine may be busy.
@pytest.mark.parametrize("function", ["train", "l1", "frontier", "cv", "tune"])
def test_interrupt_ends_it_within_half_a_second(function):
    code = BEGIN.replace("threading.Thread(target=interrupt", "# ") + SOON
    subprocess.run([sys.executable, "-c", code, function], check=True, timeout=100)


ENDLESS = """
import os, signal, sys, tempfile, threading, time, numpy as np, thresh
signal.signal(signal.SIGINT, signal.default_int_handler)
x = np.random.default_rng(0).normal(size=(2000, 5))
model = thresh.train(x, (x[:, 0] > 0).astype(float), features=2)
pipe = os.path.join(tempfile.mkdtemp(), "rows")
os.mkfifo(pipe)
begun = []
def write():
    with open(pipe, "w") as rows:
        for i in range(10**9):
            if i == 100:
                begun.append(time.process_time())
                os.kill(os.getpid(), signal.SIGINT)
            rows.write("0 1:2 3:4\\n" * 1000)
threading.Thread(target=write, daemon=True).start()
try:
    model.predict(pipe)
except KeyboardInterrupt:
    assert time.process_time() - begun[0] < 0.5, time.process_time() - begun[0]
    print("interrupted")
"""


def test_interrupt_ends_a_prediction():
    done = subprocess.run([sys.executable, "-c", ENDLESS], check=True, timeout=50, capture_output=True, text=True)
    assert done.stdout == "interrupted\n"


def fit_in_child(arguments):
    return thresh.train(*arguments, features=5).to_bytes()


def test_fork_and_threads(rows):
    x, y = rows
    expected = thresh.train(x, y, features=5).to_bytes()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(fit_in_child, [(x, y)] * 3) == [expected] * 3
    results = []
    threads = [threading.Thread(target=lambda: results.append(fit_in_child((x, y)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
    assert thresh.train(x, y, features=5, threads=1).to_bytes() == expected


def test_other_threads_run_meanwhile():
    x = np.random.default_rng(0).normal(size=(20000, 50))
    counted = []
    done = threading.Event()

    def count():
        while not done.wait(0.001):
            counted.append(1)

    counter = threading.Thread(target=count)
    counter.start()
    thresh.train(x, x[:, 0], task="regression", solver="fobos", passes=30)
    done.set()
    counter.join()
    assert len(counted) > 3


def test_notes_go_to_the_log(tmp_path, caplog):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "".join(f"{i % 5},{i % 2}\n" for i in range(100)))
    with caplog.at_level(logging.INFO, logger="thresh"):
        thresh.train(path)
    assert any("label" in record.getMessage() for record in caplog.records)


def test_states_go_on_with_new_rows(rows, tmp_path):
    x, y = rows
    lines = [" ".join([str(label)] + [f"{j}:{v}" for j, v in zip(row.indices + 1, row.data)]) + "\n"
             for label, row in zip(y, x)]
    for name, part in (("both", lines), ("first", lines[:700]), ("second", lines[700:])):
        (tmp_path / f"{name}.svm").write_text("".join(part))
    learn = dict(solver="ftrl", passes=1, order="sequential")
    whole = thresh.train(tmp_path / "both.svm", **learn)
    state = tmp_path / "first.state"
    thresh.train(tmp_path / "first.svm", save_state=state, **learn)
    assert thresh.train(tmp_path / "second.svm", from_=state).to_bytes() == whole.to_bytes()
    with pytest.raises(thresh.UsageError, match="applies to files, not to arrays"):
        thresh.train(x, y, from_=state)


def test_a_checkpoint_continues_a_stopped_call(rows, tmp_path):
    x, y = rows
    path, saved = tmp_path / "rows.svm", tmp_path / "run.ckpt"
    with open(path, "w") as file:
        for label, row in zip(y, x):
            file.write(" ".join([str(label)] + [f"{j}:{v}" for j, v in zip(row.indices + 1, row.data)]) + "\n")
    whole = thresh.train(path)
    with pytest.raises(thresh.Stopped):
        thresh.train(path, checkpoint=saved, checkpoint_every=0, progress=lambda doing, share: share > 0.3)
    assert saved.exists()
    assert thresh.train(path, checkpoint=saved).to_bytes() == whole.to_bytes()
    assert thresh.train(path, checkpoint=saved).to_bytes() == whole.to_bytes()  # at once
    with pytest.raises(thresh.UsageError, match="checkpoint"):
        thresh.cv(path, checkpoint=saved)


def test_functions(rows, tmp_path):
    x, y = rows
    table = thresh.frontier(x, y, budgets=[2, 5, "10%"])
    assert [point["features"] for point in table] == [2, 5, 15]
    assert len(table.model(table.best())) == table.best()["nonzeros"]
    assert "<table>" in table._repr_html_()
    path = thresh.path(x, y, solver="l1", count=4, over="lambda", first=1e-2, last=1e-4)
    sizes = [point["nonzeros"] for point in path]
    assert sizes == sorted(sizes) and [len(model) for model in path.models] == sizes
    assert thresh.cv(x, y, folds=3, features=5)["error"]["mean"] < 0.5
    tuned = thresh.tune(x, y, solver="ftrl", grid="lambda=1e-5,1e-1")
    tried = tuned.report["candidates"]
    assert {point["settings"]["lambda"] for point in tried} == {"1e-5", "1e-1"}
    assert tried[tuned.report["chosen"]]["error"]["mean"] == min(point["error"]["mean"] for point in tried)
    assert "data" in thresh.diagnose(x, y).parts
    certified = thresh.train(x, y, solver="l1", certify=True)
    assert thresh.verify(certified, x, y)["holds"]
    certified.save(tmp_path / "a.thresh")
    try:
        assert "<html" in thresh.report(tmp_path / "a.thresh").html
    except thresh.Error as error:
        assert "page" in str(error)  # built without esbuild
    assert np.allclose(thresh.project_weighted_l1_ball([3.0, 1.0], [1.0, 2.0], 2.0), [2.0, 0.0])


