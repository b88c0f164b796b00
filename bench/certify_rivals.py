#!/usr/bin/env python3
"""Proofs of the best K features beside El0ps, L0BnB and abess, on the same objective.

Usage: certify_rivals.py [SECONDS [NAME...]]     (for each solver and problem; default 60, all)

Needs pip install el0ps l0bnb abess scikit-learn, THRESH_DATA, and build/thresh or THRESH.

None of the others has all of an intercept, a loss for classes, a limit on the number of features
and a proof. So the problem is made theirs: no intercept; columns as they are (thresh
--scale none), divided by the square roots of their sizes, on which thresh's ridge is a plain one; and for El0ps and L0BnB a price per feature
between what the K-th one gains and what one more would, at which the best K are the optimum, too.
What they prove of the sum of objective and price, less the price of K features, bounds the
objective of K features; the gap is that of this bound. L0BnB has squared loss only and needs a
limit for all weights: 1.5 times the largest one that El0ps found. Its bound is about models below
that limit only. abess proves nothing: its features are fitted again.

All are asked for a gap of 1% of what they minimise, within SECONDS by the clock. Times are of the
processor, after a first call that compiles. A solver that has not ended after twice the time is
killed.
"""
import json
import lzma
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

os.environ["NUMBA_THREADING_LAYER"] = "workqueue"  # which survives fork()
warnings.filterwarnings("ignore")
np.Inf = np.inf  # l0bnb 1.0.0 was written for numpy 1
DATA = os.environ.get("THRESH_DATA", "data")
THRESH = os.environ.get("THRESH", os.path.join(os.path.dirname(__file__), "../build/thresh"))
AIM = 0.01
# K, and the ridge of the mean loss.
PROBLEMS = [("colon-cancer", 3, 0.1), ("colon-cancer", 3, 0.0228), ("colon-cancer", 5, 0.0722),
            ("leukemia", 2, 0.01), ("leukemia", 5, 0.01), ("duke", 3, 0.0605), ("duke", 5, 0.0605),
            ("alike", 5, 0.01), ("alike", 10, 0.1)]


def write(path, X, y):
    with open(path, "w") as file:
        for row, label in zip(X, y):
            entries = " ".join(f"{j + 1}:{x:.6g}" for j, x in enumerate(row) if x != 0)
            file.write(f"{label:+.0f} {entries}\n")


def generate(path):
    """200 rows of 500 columns, neighbours correlated by 0.9; ten of them decide the class."""
    random = np.random.default_rng(3)
    X = random.normal(size=(200, 500))
    for j in range(1, X.shape[1]):
        X[:, j] = 0.9 * X[:, j - 1] + np.sqrt(1 - 0.9 ** 2) * X[:, j]
    score = X[:, 25::50] @ np.where(np.arange(10) % 2 == 0, 1, -1)
    write(path, X, np.sign(score + random.normal(size=200)))


def load(name, folder):
    """The file for thresh, and the same rows as the others take them."""
    path = os.path.join(folder, name + ".svm")
    if not os.path.exists(path):
        if name == "alike":
            generate(path)
        else:
            with lzma.open(os.path.join(DATA, name + ".svm.xz")) as packed, open(path, "wb") as out:
                out.write(packed.read())
    with open(path) as file:
        lines = [line.split() for line in file if line.strip()]
    y = np.array([1.0 if float(line[0]) > 0 else -1.0 for line in lines])
    width = max(int(entry.split(":")[0]) for line in lines for entry in line[1:])
    X = np.zeros((len(y), width))
    for i, line in enumerate(lines):
        for entry in line[1:]:
            j, value = entry.split(":")
            X[i, int(j) - 1] = float(value)
    size = np.sqrt((X ** 2).mean(0))
    return path, X / np.sqrt(np.where(size > 0, size, 1)), y


def by_thresh(data, K, ridge, loss, more):
    """The certificate and processor seconds."""
    before = os.times()
    run = subprocess.run([THRESH, "train", data, "-o", data + ".thresh", "--json", "--features",
                          str(K), "--ridge", str(ridge), "--loss", loss, "--no-intercept", "--scale", "none"] + more,
                         capture_output=True, text=True)
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


def show(name, K, R, loss, who, spent, size, value, bound, note=""):
    gap, low = "", "" if bound is None else f"{bound:.5g}"
    if size != K:
        gap = f"{size} features"
    elif bound is not None:
        gap = f"{max(0, value - bound) / value:.2%}"
    print(f"| {name} | {K} | {R:.3g} | {loss} | {who} | {spent:.1f} | {value:.5g} | {low} | {gap} | "
          f"{note} |", flush=True)


def by_el0ps(X, y, R, price, loss, seconds):
    """The weights, the bound of the sum with prices, and the number of nodes."""
    from el0ps.datafit import Leastsquares, Logistic
    from el0ps.penalty import L2norm
    from el0ps.solver import BnbSolver
    n = len(y)
    solver = BnbSolver(relative_gap=AIM, time_limit=seconds)
    package, seen = solver.package_results, []
    solver.package_results = lambda problem, results: (seen.append(results),
                                                       package(problem, results))[1]
    datafit = Leastsquares(y) if loss == "squared" else Logistic(y)
    found = solver.solve(datafit, L2norm(n * R / 2), np.asfortranarray(X), n * price)
    return found.x, seen[0].bound / n, f"{seen[0].nodes:,} nodes"


def by_l0bnb(X, y, R, price, loss, seconds, most=5):
    from l0bnb import BNBTree
    n = len(y)
    tree = BNBTree(X, y)
    found = tree.solve(n * price, n * R / 2, most, gap_tol=AIM, time_limit=seconds)
    bound = found.cost * (1 - found.gap) / n
    return np.array(found.beta).ravel(), bound, f"{tree.number_of_nodes:,} nodes"


def by_abess(X, y, K, R, loss):
    from abess import LinearRegression, LogisticRegression
    from sklearn.linear_model import LogisticRegression as Logistic, Ridge
    squared = loss == "squared"
    kind = LinearRegression if squared else LogisticRegression
    model = kind(support_size=K, alpha=R, fit_intercept=False)
    model.fit(X, y if squared else (y > 0).astype(int))
    chosen = np.flatnonzero(model.coef_)
    refit = (Ridge(alpha=len(y) * R, fit_intercept=False) if squared else
             Logistic(C=1 / (len(y) * R), fit_intercept=False, tol=1e-10, max_iter=10000))
    refit.fit(X[:, chosen], y)
    w = np.zeros(X.shape[1])
    w[chosen] = np.ravel(refit.coef_)
    return w, None, ""


def in_child(seconds, function, *arguments):
    """What it returns and the processor time, or why not. The compiled code is inherited."""
    def work(answer):
        start = time.process_time()
        try:
            found = function(*arguments)
        except Exception as error:  # of any kind: its row says so
            found = f"failed: {type(error).__name__} {error}".replace("\n", " ")[:100]
        answer.send((found, time.process_time() - start))
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(False)
    child = fork.Process(target=work, args=(there,))
    child.start()
    answer = here.recv() if here.poll(2 * seconds) else (f"not ended after {2 * seconds} s", 0)
    child.kill()
    child.join()
    return answer


def compare(name, K, ridge, seconds, folder):
    data, X, y = load(name, folder)
    for loss in ("logistic", "squared"):
        found, spent = by_thresh(data, K, ridge, loss,
                                 ["--prove", f"{AIM:%}", "--prove-time", f"{seconds}s"])
        R, value = found["ridge"], found["objective"]
        show(name, K, R, loss, "thresh", spent, K, value, found["bound"],
             f"{len(found.get('tree', [])):,} nodes")
        fewer, more = (by_thresh(data, k, ridge, loss, ["--certify"])[0]["objective"]
                       for k in (K - 1, K + 1))
        price = (fewer - more) / 2
        if not fewer - value > price > value - more:
            price = (fewer - value + max(value - more, 0)) / 2
        solvers = {"El0ps": (by_el0ps, price), "L0BnB": (by_l0bnb, price), "abess": (by_abess, 0)}
        largest = 0
        for who, (solve, price) in solvers.items():
            if who == "L0BnB" and loss != "squared":
                continue
            arguments = (X, y, R, price, loss, seconds)
            if who == "L0BnB":
                arguments += (1.5 * largest,)
            if who == "abess":
                arguments = (X, y, K, R, loss)
            result, spent = in_child(seconds, solve, *arguments)
            if isinstance(result, str):
                print(f"| {name} | {K} | {R:.3g} | {loss} | {who} | {result} | | | | |", flush=True)
                continue
            w, bound, note = result
            if who == "El0ps":
                largest = np.abs(w).max()
            bound = None if bound is None else bound - price * K
            show(name, K, R, loss, who, spent, np.count_nonzero(w), objective(X, y, w, R, loss),
                 bound, note)


def main(seconds, names):
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 5))
    y = np.sign(X[:, 0])
    for loss in ("logistic", "squared"):
        by_el0ps(X, y, 0.1, 0.1, loss, 10)  # compiles
    by_l0bnb(X, y, 0.1, 0.1, "squared", 10)
    print("| data | K | R | loss | solver | processor s | objective | bound | gap | |\n" + "|---" * 10 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, K, ridge in PROBLEMS:
            if not names or name in names:
                compare(name, K, ridge, seconds, folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60, sys.argv[2:])
