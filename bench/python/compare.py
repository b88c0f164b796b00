#!/usr/bin/env python3
"""The Python package beside scikit-learn on the same rows, in the same process, and beside the program.

Usage: bench/python/compare.py ROWS.svm PROGRAM [REPEATS]
Prints a Markdown table of processor seconds, the least of the repeats, and their ratios. Needs the package
and scikit-learn.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression, SGDClassifier

import thresh


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


def objective(x, y, w, b, lam):
    margins = np.where(y > 0, 1, -1) * (x @ w + b)
    return np.logaddexp(0, -margins).mean() + lam * np.abs(w).sum()


def main(path, program, repeats):
    x, y = load_svmlight_file(path, zero_based=False)
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)  # liblinear takes no others
    n = x.shape[0]
    print(f"{n} rows, {x.shape[1]} features, {x.nnz} entries; least of {repeats}, processor seconds\n")
    print("| job | thresh | other | ratio | |\n|---|---|---|---|---|")

    def line(job, ours, theirs, note):
        print(f"| {job} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.1f} | {note} |", flush=True)

    passes = 5
    ours, a = least(lambda: thresh.Classifier(solver="fobos", lambda_=1e-5, passes=passes).fit(x, y), repeats)
    theirs, b = least(lambda: SGDClassifier(loss="log_loss", penalty="l1", alpha=1e-5, max_iter=passes, tol=None,
                                            random_state=1).fit(x, y), repeats)
    line(f"{passes} passes of stochastic gradients, l1", ours, theirs,
         f"accuracy {a.score(x, y):.4f} and {b.score(x, y):.4f}")

    lam = 1e-4
    ours, a = least(lambda: thresh.Classifier(solver="l1", lambda_=lam, intercept=False).fit(x, y), repeats)
    theirs, b = least(lambda: LogisticRegression(penalty="l1", C=1 / (lam * n), solver="liblinear",
                                                 fit_intercept=False, tol=1e-3, max_iter=1000).fit(x, y), repeats)
    goals = [objective(x, y, np.asarray(m.coef_).ravel(), 0, lam) for m in (a, b)]
    line("l1 optimum, liblinear", ours, theirs, f"objective {goals[0]:.6f} and {goals[1]:.6f}")

    theirs, b = least(lambda: LogisticRegression(penalty="l1", C=1 / (lam * n), solver="saga", fit_intercept=False,
                                                 tol=1e-4, max_iter=1000).fit(x, y), 1)
    goals = [objective(x, y, np.asarray(m.coef_).ravel(), 0, lam) for m in (a, b)]
    line("l1 optimum, saga", ours, theirs, f"objective {goals[0]:.6f} and {goals[1]:.6f}")

    features = 500
    ours, a = least(lambda: thresh.Classifier(features=features).fit(x, y), repeats)

    def select():
        first = LogisticRegression(penalty="l1", C=1.0, solver="liblinear").fit(x, y)
        chosen = SelectFromModel(first, prefit=True, max_features=features, threshold=-np.inf).transform(x)
        return LogisticRegression(solver="liblinear").fit(chosen, y).score(chosen, y)

    theirs, b = least(select, repeats)
    line(f"{features} features: SelectFromModel and refit", ours, theirs, f"accuracy {a.score(x, y):.4f} and {b:.4f}")

    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "rows.cache")
        subprocess.run([program, "cache", path, "-o", cache, "-q"], check=True)
        ours, _ = least(lambda: thresh.train(x, y, solver="fobos", passes=passes), repeats)
        command = [program, "train", cache, "--solver", "fobos", "--passes", str(passes), "-q", "-o", folder + "/m"]
        theirs, _ = least(lambda: subprocess.run(command, check=True), repeats, resource.RUSAGE_CHILDREN)
        line(f"{passes} passes from CSR; the program from its cache", ours, theirs, "")

    model = a.model_
    row = x[0]
    begin = time.process_time()
    for _ in range(2000):
        model.predict_row(row.indices, row.data)
    print(f"\none row at a time: {(time.process_time() - begin) / 2000 * 1e6:.1f} microseconds")
    code = "import time, numpy, scipy.sparse; t = time.process_time(); import thresh; print(time.process_time() - t)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
             for _ in range(5)]
    print(f"import beyond numpy and scipy: {min(times):.3f} s")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 3)
