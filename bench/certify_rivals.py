#!/usr/bin/env python3
"""Proofs of the best K features beside El0ps, L0BnB and abess, on the same objective.

Usage: certify_rivals.py [SECONDS]     (for each solver and problem; default 120)

Needs pip install el0ps l0bnb abess scikit-learn, THRESH_DATA, and build/thresh or THRESH.

None of the others has all of an intercept, a loss for classes, a limit on the number of features
and a proof. So the problem is made theirs: no intercept; columns divided by the square roots of
their sizes, on which thresh's ridge is a plain one; and for El0ps and L0BnB a price per feature
between what the K-th one gains and what one more would, for which the best K are the optimum, too.
L0BnB has squared loss only and needs a limit for all weights: 5, above all weights here. abess proves nothing: its features are fitted again.

The gap asked for is 1%. Times are of the processor, after a first call that compiles.
"""
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
np.Inf = np.inf  # l0bnb 1.0.0 was written for numpy 1
DATA = os.environ.get("THRESH_DATA", "data")
THRESH = os.environ.get("THRESH", os.path.join(os.path.dirname(__file__), "../build/thresh"))
LIMIT = 5  # of weights, for L0BnB
PROBLEMS = [("colon-cancer", 3, 0.1), ("colon-cancer", 5, 0.1), ("leukemia", 3, 0.01),
            ("duke", 3, 0.1)]


def load(name):
    with lzma.open(os.path.join(DATA, name + ".svm.xz"), "rt") as file:
        lines = [line.split() for line in file if line.strip()]
    y = np.array([1.0 if float(line[0]) > 0 else -1.0 for line in lines])
    width = max(int(entry.split(":")[0]) for line in lines for entry in line[1:])
    X = np.zeros((len(y), width))
    for i, line in enumerate(lines):
        for entry in line[1:]:
            j, value = entry.split(":")
            X[i, int(j) - 1] = float(value)
    size = np.sqrt((X ** 2).mean(0))
    return X / np.sqrt(np.where(size > 0, size, 1)), y


def by_thresh(name, K, ridge, loss, seconds, folder):
    """The certificate, processor seconds, and the largest weight."""
    data, model = os.path.join(folder, name + ".svm"), os.path.join(folder, "model")
    if not os.path.exists(data):
        with lzma.open(os.path.join(DATA, name + ".svm.xz")) as packed, open(data, "wb") as plain:
            plain.write(packed.read())
    before = os.times()
    run = subprocess.run([THRESH, "train", data, "-o", model, "--json", "--features", str(K),
                          "--ridge", str(ridge), "--loss", loss, "--no-intercept", "--prove", "1%",
                          "--prove-time", f"{seconds}s"], capture_output=True, text=True)
    after = os.times()
    if run.returncode != 0:
        sys.exit(run.stderr)
    spent = after.children_user - before.children_user
    return json.loads(run.stdout)["certificate"], spent


def objective(X, y, w, R, loss):
    a = X @ w
    if loss == "squared":
        return ((a - y) ** 2).mean() / 2 + R / 2 * w @ w
    return np.logaddexp(0, -y * a).mean() + R / 2 * w @ w


def show(name, K, loss, who, spent, value, bound, note=""):
    gap = f"{(value - bound) / value:.2%}" if bound is not None else "no bound"
    print(f"| {name} | {K} | {loss} | {who} | {spent:.1f} | {value:.5g} | {gap} | {note} |", flush=True)


def by_el0ps(X, y, R, price, seconds):
    from el0ps.datafit import Logistic
    from el0ps.penalty import L2norm
    from el0ps.solver import BnbSolver
    n = len(y)
    start = time.process_time()
    solver = BnbSolver(relative_gap=0.01, time_limit=seconds)
    found = solver.solve(Logistic(y), L2norm(n * R / 2), np.asfortranarray(X), n * price)
    return found, time.process_time() - start


def by_l0bnb(X, y, R, price, most, seconds):
    from l0bnb import BNBTree
    n = len(y)
    start = time.process_time()
    found = BNBTree(X, y).solve(n * price, n * R / 2, most, gap_tol=0.01, time_limit=seconds)
    return found, time.process_time() - start


def by_abess(X, y, K, R):
    from abess import LogisticRegression
    from sklearn.linear_model import LogisticRegression as Ridge
    start = time.process_time()
    model = LogisticRegression(support_size=K, alpha=R, fit_intercept=False)
    model.fit(X, (y > 0).astype(int))
    chosen = np.flatnonzero(model.coef_)
    refit = Ridge(C=1 / (len(y) * R), fit_intercept=False, tol=1e-10, max_iter=10000)
    refit.fit(X[:, chosen], y)
    w = np.zeros(X.shape[1])
    w[chosen] = refit.coef_[0]
    return w, time.process_time() - start


def compare(name, K, ridge, seconds, folder):
    X, y = load(name)
    for loss in ("logistic", "squared"):
        near = [by_thresh(name, k, ridge, loss, seconds, folder) for k in (K - 1, K, K + 1)]
        found, spent = near[1]
        R, values = found["ridge"], [each[0]["objective"] for each in near]
        nodes = f"{len(found.get('tree', [])):,} nodes"
        show(name, K, loss, "thresh", spent, found["objective"], found["bound"], nodes)
        price = (values[0] - values[2]) / 2
        if not values[0] - values[1] > price > values[1] - values[2]:
            price = (values[0] - values[1] + max(values[1] - values[2], 0)) / 2
        if loss == "logistic":
            try:
                result, spent = by_el0ps(X, y, R, price, seconds)
                w = result.x
                show(name, np.count_nonzero(w), loss, "El0ps", spent, objective(X, y, w, R, loss),
                     None, f"ended as {result.status}")
            except Exception as error:  # of any kind: its row says so
                print(f"| {name} | {K} | {loss} | El0ps | failed: {error} |", flush=True)
            w, spent = by_abess(X, y, K, R)
            show(name, np.count_nonzero(w), loss, "abess", spent, objective(X, y, w, R, loss), None)
            continue
        try:
            result, spent = by_l0bnb(X, y, R, price, LIMIT, seconds)
            w = np.array(result.beta).ravel()
            show(name, np.count_nonzero(w), loss, "L0BnB", spent, objective(X, y, w, R, loss),
                 None, f"its gap {result.gap:.2%}")
        except Exception as error:
            print(f"| {name} | {K} | {loss} | L0BnB | failed: {error} |", flush=True)


def main(seconds):
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 5))
    y = np.sign(X[:, 0])
    by_el0ps(X, y, 0.1, 0.1, 10)  # compiles
    by_l0bnb(X, y, 0.1, 0.1, 5, 10)
    print("| data | K | loss | solver | processor s | objective | gap | |\n" + "|---" * 8 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, K, ridge in PROBLEMS:
            compare(name, K, ridge, seconds, folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 120)
