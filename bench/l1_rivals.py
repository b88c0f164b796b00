#!/usr/bin/env python3
"""The l1 optimum by Python's solvers, each at the loosest of its tolerances that comes within 1e-6.

Usage: l1_rivals.py FILE LAMBDA OPTIMUM [LAMBDA OPTIMUM ...]
Objective: mean logistic loss + LAMBDA |w|_1, no intercept. Times are of fit(), the data in memory;
the median and the spread of five. Packages that are missing are named.
"""
import importlib
import statistics
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file

TOLERANCES = [10.0**-k for k in range(2, 13)]
PATIENCE = 20  # seconds for one fit; slower ones are given up


def celer(lam, tol, n):
    from celer import LogisticRegression
    return LogisticRegression(C=1 / (lam * n), tol=tol, fit_intercept=False, max_iter=200)


def skglm(lam, tol, n):
    from skglm import SparseLogisticRegression
    return SparseLogisticRegression(alpha=lam, tol=tol, fit_intercept=False, max_iter=200)


def saga(lam, tol, n):
    from sklearn.linear_model import LogisticRegression
    return LogisticRegression(penalty="l1", solver="saga", C=1 / (lam * n), tol=tol,
                              fit_intercept=False, max_iter=100000)


class Adelie:
    """adelie wants a path of lambdas: ten a decade, from the largest down to this one."""

    def __init__(self, lam, tol, n):
        self.lam, self.tol = lam, tol

    def fit(self, x, y):
        import adelie
        largest = np.abs(x.T @ y).max() / (2 * len(y))
        steps = max(2, int(np.ceil(10 * np.log10(largest / self.lam))) + 1)
        state = adelie.grpnet(
            adelie.matrix.sparse(x, method="naive", n_threads=2), adelie.glm.binomial((y + 1) / 2.0),
            lmda_path=np.geomspace(largest, self.lam, steps), tol=self.tol, irls_tol=self.tol,
            intercept=False, early_exit=False, n_threads=2, progress_bar=False)
        self.coef_ = state.betas[-1].toarray()


def objective(x, y, w, lam):
    return np.logaddexp(0, -y * (x @ w)).mean() + lam * np.abs(w).sum()


def timed(make, x, y):
    model = make()
    start = time.perf_counter()
    model.fit(x, y)
    return time.perf_counter() - start, np.ravel(model.coef_)


def compare(name, make, x, y, lam, optimum):
    for tol in TOLERANCES:
        seconds, w = timed(lambda: make(lam, tol, len(y)), x, y)
        above = objective(x, y, w, lam) / optimum - 1
        if above <= 1e-6 or seconds > PATIENCE:
            break
    if above > 1e-6:
        print(f"   {name:<9} not within 1e-6: {above:.1e} above after {seconds:.1f} s")
        return
    runs = sorted(timed(lambda: make(lam, tol, len(y)), x, y)[0]
                  for _ in range(5 if seconds < 10 else 1))
    print(f"   {name:<9} {statistics.median(runs):8.4f} s ({runs[0]:.4f}-{runs[-1]:.4f}), "
          f"tolerance {tol:g}, {above:.1e} above, {np.count_nonzero(w)} non-zeros", flush=True)


def main():
    warnings.filterwarnings("ignore")
    x, y = load_svmlight_file(sys.argv[1])
    x, y = x.tocsc(), np.where(y > 0, 1, -1)
    numbers = [float(a) for a in sys.argv[2:]]
    for lam, optimum in zip(numbers[::2], numbers[1::2]):
        print(f"lambda {lam:.6g}")
        for name, make in (("celer", celer), ("skglm", skglm), ("sklearn", saga),
                           ("adelie", Adelie)):
            try:
                importlib.import_module(name)
            except ImportError:
                print(f"   {name:<9} is not installed")
                continue
            compare(name, make, x if name != "sklearn" else x.tocsr(), y, lam, optimum)


main()
