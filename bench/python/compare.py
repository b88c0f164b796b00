#!/usr/bin/env python3
"""The Python package beside scikit-learn on the same rows, in the same process, and beside the program.

Usage: bench/python/compare.py ROWS.svm PROGRAM [REPEATS]
Learns from three quarters of the rows and tests on the rest. Prints a Markdown table of processor seconds, the least
of the repeats, which take turns, and their ratios. All run on one core. Settings are chosen on a fifth of the rows to
learn from. Needs the package and scikit-learn 1.8 or newer.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy as np
import scipy.sparse
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression, SGDClassifier

import thresh

LAM = 1e-4
FEATURES = 500


def least(work, repeats, who=resource.RUSAGE_SELF):
    def seconds():
        used = resource.getrusage(who)
        return used.ru_utime + used.ru_stime

    best = float("inf")
    for _ in range(repeats):
        before = seconds()
        result = work()
        best = min(best, seconds() - before)
    return best, result


def turns(works, repeats):
    """The least seconds of each work, and what it returned."""
    best = [(float("inf"), None)] * len(works)
    for _ in range(repeats):
        for i, work in enumerate(works):
            seconds, result = least(work, 1)
            best[i] = min(best[i][0], seconds), result
    return best


def line(job, ours, theirs, note=""):
    print(f"| {job} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.1f} | {note} |", flush=True)


def objective(x, y, w):
    return np.logaddexp(0, -np.where(y > 0, 1, -1) * (x @ w)).mean() + LAM * np.abs(w).sum()


class Data:
    def __init__(self, path):
        x, y = load_svmlight_file(path, zero_based=False)
        order = np.random.default_rng(0).permutation(len(y))
        parts = np.split(order, [3 * len(y) // 4])
        (self.x, self.test_x), (self.y, self.test_y) = [x[p] for p in parts], [y[p] for p in parts]
        for rows in (self.x, self.test_x):  # liblinear takes no others
            rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)

    def score(self, model):
        return f"{100 * model.score(self.test_x, self.test_y):.1f}%"


def passes(data, repeats):
    """The cost of a pass is the difference of a long run and a short one."""
    times = {}
    for n in (5, 20):
        mine = thresh.Classifier(solver="truncated-gradient", lambda_=1e-5, eta=1, passes=n)
        sgd = SGDClassifier(loss="log_loss", penalty="l1", alpha=1e-5, max_iter=n, tol=None, random_state=1)
        (ours, a), (theirs, b) = turns([lambda model=each: model.fit(data.x, data.y) for each in (mine, sgd)], repeats)
        times[n] = ours, theirs
        line(f"{n} passes, truncated-gradient; SGDClassifier, l1", ours, theirs, f"{data.score(a)} and {data.score(b)}")
    line("one of these passes", *((times[20][i] - times[5][i]) / 15 for i in (0, 1)))


def loosest(data, make, goal):
    """The loosest of the tolerances 0.01, 0.001, ... that reaches the objective; and the objective."""
    for tolerance in 10.0 ** -np.arange(2, 8):
        found = objective(data.x, data.y, np.ravel(make(tolerance).fit(data.x, data.y).coef_))
        if found <= goal:
            break
    return tolerance, found


def optimum(data, solver, repeats):
    """Both to the same objective: at most a hundred-thousandth above the least."""
    def mine(gap):
        return thresh.Classifier(solver="l1", lambda_=LAM, intercept=False, solver_options={"gap": gap})

    def other(tol):
        return LogisticRegression(l1_ratio=1, C=1 / (LAM * len(data.y)), solver=solver, fit_intercept=False, tol=tol,
                                  max_iter=3000)

    exact = mine(1e-9).fit(data.x, data.y)
    goal = objective(data.x, data.y, np.ravel(exact.coef_)) * (1 + 1e-5)
    (gap, reached), (tol, found) = loosest(data, mine, goal), loosest(data, other, goal)
    models = mine(gap), mine(1e-6), other(tol)
    (ours, _), (proved, _), (theirs, _) = turns([lambda model=each: model.fit(data.x, data.y) for each in models],
                                                repeats)
    line(f"l1 optimum, gap={gap:g}; {solver}, tol={tol:g}", ours, theirs, f"objective {reached:.6f} and {found:.6f}")
    line("the same with gap=1e-6, the default", proved, theirs)


def select(strength, x, y):
    first = LogisticRegression(l1_ratio=1, C=strength, solver="liblinear").fit(x, y)
    keep = SelectFromModel(first, prefit=True, max_features=FEATURES, threshold=-np.inf)
    return keep, LogisticRegression(solver="liblinear").fit(keep.transform(x), y)


def best_of(data, settings, fit):
    """The setting whose fit errs least on a fifth of the rows to learn from."""
    n = 4 * len(data.y) // 5

    def score(setting):
        return fit(setting, data.x[:n], data.y[:n])(data.x[n:], data.y[n:])

    return max(settings, key=score)


def with_selection(strength, x, y):
    keep, model = select(strength, x, y)
    return lambda x, y: model.score(keep.transform(x), y)


def with_budget(beta, x, y):
    return thresh.Classifier(features=FEATURES, passes=2, solver_options={"beta": beta}).fit(x, y).score


STRENGTHS = (0.5, 1, 2, 4, 8)


def sizes(data, repeats):
    def share(score):
        return f"{100 * score(data.test_x, data.test_y):.1f}%"

    job = f"{FEATURES} features; SelectFromModel and refit"
    beta = best_of(data, (0.1, 0.3, 1, 3), with_budget)
    strength = best_of(data, STRENGTHS, with_selection)
    (ours, a), (theirs, b) = turns([lambda: with_budget(beta, data.x, data.y),
                                    lambda: with_selection(strength, data.x, data.y)], repeats)
    line(f"{job}, settings given (beta={beta}, C={strength})", ours, theirs, f"{share(a)} and {share(b)}")
    model = thresh.Classifier(features=FEATURES)
    (ours, a), (theirs, b) = turns([
        lambda: model.fit(data.x, data.y),
        lambda: with_selection(best_of(data, STRENGTHS, with_selection), data.x, data.y)], repeats)
    line(f"{job}, strengths chosen on held-out rows", ours, theirs, f"{data.score(a)} and {share(b)}")
    return a


def program(data, path, command, repeats):
    x, y = load_svmlight_file(path, zero_based=False)
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "rows.cache")
        subprocess.run([command, "cache", path, "-o", cache, "-q"], check=True)
        ours, _ = least(lambda: thresh.train(x, y, solver="fobos", passes=5), repeats)
        train = [command, "train", cache, "--solver", "fobos", "--passes", "5", "-q", "-o", folder + "/m"]
        theirs, _ = least(lambda: subprocess.run(train, check=True), repeats, resource.RUSAGE_CHILDREN)
        line("5 passes from CSR; the program from its cache", ours, theirs)


def predictions(data, fitted):
    model = fitted.model_
    many = scipy.sparse.vstack([data.x] * (1_000_000 // data.x.shape[0] + 1), "csr")[:1_000_000]
    other = SGDClassifier(max_iter=1, tol=None).fit(data.x, data.y)
    (ours, _), (theirs, _) = turns([lambda: fitted.predict(many), lambda: other.predict(many)], 5)
    line("predict a million rows", ours, theirs)
    row = data.x[0]
    begin = time.process_time()
    for _ in range(20000):
        model.predict_row(row.indices, row.data)
    print(f"\none row at a time: {(time.process_time() - begin) / 20000 * 1e6:.1f} microseconds; "
          f"scikit-learn: {1e6 * least(lambda: [other.predict(row) for _ in range(500)], 3)[0] / 500:.0f}")


IMPORT = "import time, numpy, scipy.sparse; t = time.process_time(); import thresh; print(time.process_time() - t)"
TABLE = """
import sys, time, numpy as np, pandas as pd, thresh
rng = np.random.default_rng(0)
n = 200_000
frame = pd.DataFrame({f"x{i}": rng.normal(size=n) for i in range(20)})
frame.loc[::9, "x3"] = np.nan
frame["city"] = rng.choice(["Rome", "Oslo", "Bern"], n)
y = np.where(frame.x0 + (frame.city == "Oslo") > 0.5, 1, 0)
frame.assign(label=y).to_csv("table.csv", index=False)
for source in (frame, "table.csv"):
    t = time.process_time()
    rows = (source,) if isinstance(source, str) else (source, y)
    thresh.train(*rows, solver="fobos", passes=1)
    print(f"{time.process_time() - t:.2f}", end=" ")
"""
MEMORY = """
import sys, numpy as np, scipy.sparse, thresh
def peak(what="VmHWM"):
    return int(next(l for l in open("/proc/self/status") if l.startswith(what)).split()[1]) / 1024
rng = np.random.default_rng(0)
rows, each = 400_000, 50
x = scipy.sparse.csr_matrix((np.ones(rows * each), np.sort(rng.integers(0, 2000, (rows, each)).astype(np.int32) * 50
    + np.arange(each, dtype=np.int32)).ravel(), np.arange(0, rows * each + 1, each, dtype=np.int32)), (rows, 100_000))
y = np.where(rng.random(rows) < 0.5, -1.0, 1.0)
thresh.train(x[:2000], y[:2000], **eval(sys.argv[1]))
open("/proc/self/clear_refs", "w").write("5")
before = peak("VmRSS")
thresh.train(x, y, **eval(sys.argv[1]))
print(f"{(x.data.nbytes + x.indices.nbytes) / 2**20:.0f} {peak() - before:.0f}")
"""


def start_and_memory():
    def run(*arguments, **more):
        return subprocess.run([sys.executable, "-c", *arguments], capture_output=True, text=True, check=True, **more).stdout

    with tempfile.TemporaryDirectory() as folder:
        frame, file = run(TABLE, cwd=folder).split()
    print(f"one pass over a frame of 200,000 rows and 21 columns: {frame} s; over its csv file: {file} s")

    print(f"import beyond numpy and scipy: {min(float(run(IMPORT)) for _ in range(5)):.3f} s")
    for how in ("solver='fobos', passes=2", "features=500, passes=2, beta=0.3", "solver='l1'"):
        size, more = run(MEMORY, f"dict({how})").split()
        print(f"memory beside X of {size} MiB, {how}: {more} MiB")


def main(path, command, repeats):
    warnings.simplefilter("ignore")
    data = Data(path)
    print(f"{data.x.shape[0]} rows, {data.x.shape[1]} features, {data.x.nnz} entries; scikit-learn "
          f"{sklearn.__version__}; least of {repeats}, processor seconds\n")
    print("| job | thresh | other | ratio | on test rows |\n|---|---|---|---|---|")
    passes(data, repeats)
    optimum(data, "liblinear", repeats)
    optimum(data, "saga", 1)
    fitted = sizes(data, repeats)
    program(data, path, command, repeats)
    predictions(data, fitted)
    start_and_memory()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 3)
