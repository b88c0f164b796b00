#!/usr/bin/env python3
"""Runs the rival pipelines on one split and writes WORK/frontier/rivals/NAME.S.json.

Usage: frontier_rivals.py NAME SPLIT     (needs scikit-learn; abess is left out if it is missing)

A pipeline gets K features at most. What it has to choose it chooses by validation error, ties by
validation log-loss. Seconds are CPU time of all budgets together, without reading the files; the l1
path, which two pipelines share, is counted for both. Two classes are in this file, several in
frontier_classes.py, numbers in frontier_regression.py.
"""
import importlib.util
import multiprocessing
import resource
import signal
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression

from frontier_classes import Classes
from frontier_classes import pipelines as class_pipelines
from frontier_common import CLASSES, REGRESSION, TEXT, WORK, budgets_of, parts, write_json
from frontier_regression import Regression
from frontier_regression import pipelines as regression_pipelines

PRUNE_C = (1, 10, 100)
REFIT_C = (0.3, 1, 3, 10, 30, 100, 300)
# Of dense columns a few hold only a small part of a row's norm, so they need larger weights.
REFIT_C_DENSE = REFIT_C + (1000, 3000, 10000)
L1_STEPS = 16
ABESS_SECONDS = 60
# abess works on dense matrices. Above this many cells it gets only the columns with the largest
# marginal scores: one fit to all words of 20 Newsgroups did not come back within a minute. Above 2,000
# it never finished (SMS 2,610, leukemia 2,851, arcene 4,000). The bound for texts only saves time: 200
# of 1,000 words took 17 s, but on SMS it did finish up to 1,305.
ABESS_CELLS, ABESS_SCREENED = 25_000_000, 1000
ABESS_LARGEST, ABESS_LARGEST_TEXT = 2000, 200


def cpu_seconds():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def liblinear(X, y, C, l1=False, dual=False):
    """Logistic regression's (weights, intercept)."""
    model = LogisticRegression(C=C, l1_ratio=float(l1), dual=dual, solver="liblinear", max_iter=200,
                               random_state=1)
    model.fit(X, y)
    return model.coef_[0], model.intercept_[0]


class Task:
    """A split's three matrices. One constant scales all of them so that a training row's mean
    squared norm is 1: the same C then means about the same on texts, pixels and gene expressions."""

    def __init__(self, name, read, budgets):
        (self.X, self.y), *self.held_out = read
        self.d = self.X.shape[1]
        scale = 1 / np.sqrt(self.X.multiply(self.X).sum() / self.X.shape[0])
        for X, _ in read:
            X.data *= scale
        self.rms = np.sqrt(np.asarray(self.X.multiply(self.X).mean(axis=0)).ravel())
        self.budgets = budgets
        self.is_text = name in TEXT
        self.refit_c = REFIT_C if self.is_text else REFIT_C_DENSE
        self.prune_c, self.l1_steps = PRUNE_C, L1_STEPS
        if name == "enron_ngrams":  # a fit takes minutes there: a coarser choice
            self.refit_c, self.prune_c, self.l1_steps = (1, 30, 300), (10,), 8
        # There LIBLINEAR comes to the same l2 model faster by the dual, unless C is large: with all
        # columns and C = 1, 10, 30 it took 12, 38, 93 s against 75, 120, 156.
        self.largest_dual_c = 30 if name == "enron_ngrams" else 0

        # Large budgets hold all columns that have a weight at all, in whatever order: then the same is
        # fitted again and again. What a pipeline did not have to do counts as if it had.
        self.refits, self.seconds_saved = {}, 0

    def judged(self, weights, intercept, support=slice(None), **chosen):
        """A candidate: what it does with these weights of the columns in `support`."""
        full = np.zeros(self.d)
        full[support] = weights
        (valid, y_valid), (test, y_test) = [(X @ full + intercept, y) for X, y in self.held_out]
        return {**chosen, "nonzeros": int(np.count_nonzero(full)),
                "valid_error": float(np.mean((valid > 0) != (y_valid > 0))),
                "valid_loss": float(np.mean(np.logaddexp(0, -y_valid * valid))),
                "test_error": float(np.mean((test > 0) != (y_test > 0)))}

    def l2(self, X, C):
        return liblinear(X, self.y, C, dual=C <= self.largest_dual_c)

    def refitted(self, support, **chosen):
        """Candidates: l2 on the columns of `support`, which replaces the weights they had."""
        if not len(support):
            return []
        columns = np.sort(support)
        key = columns.tobytes()
        if key in self.refits:
            self.seconds_saved += self.refits[key][1]
        else:
            start = cpu_seconds()
            X = self.X[:, columns]
            fits = [self.judged(*self.l2(X, C), columns, refit_C=C) for C in self.refit_c]
            self.refits[key] = fits, cpu_seconds() - start
        return [{**fit, **chosen} for fit in self.refits[key][0]]


def best(candidates):
    return min(candidates, key=lambda it: (it["valid_error"], it["valid_loss"]))


def l1_path(task):
    """LIBLINEAR's l1 models from about one feature to the largest budget, the sparsest first."""
    targets = task.y > 0
    first = 1 / np.abs(task.X.T @ (targets - targets.mean())).max()
    path = []

    def add(C):
        weights, intercept = liblinear(task.X, task.y, C, l1=True)
        support = np.flatnonzero(weights)
        path.append((C, support, weights[support], intercept))
        path.sort(key=lambda model: model[0])

    for C in np.geomspace(1.02 * first, max(task.refit_c), task.l1_steps):
        add(float(C))
        if len(path[-1][1]) > task.budgets[-1]:
            break
    # Where a budget lies in a gap of the path, models in the gap: a budget should be used.
    for K in task.budgets:
        for _ in range(2):
            over = next((i for i, model in enumerate(path) if len(model[1]) > K), 0)
            if over == 0 or len(path[over - 1][1]) >= 0.8 * K:
                break
            add(float(np.sqrt(path[over - 1][0] * path[over][0])))
    return path


def run_l1(task, path):
    models = [(support, task.judged(weights, intercept, support, C=C))
              for C, support, weights, intercept in path]
    constant = task.judged(0, 2 * np.mean(task.y > 0) - 1)
    for K in task.budgets:
        yield K, best([it for support, it in models if len(support) <= K] or [constant])


def run_l1_refit(task, path):
    judged = {}  # by C: larger budgets often get the same model, the end of the path
    for K in task.budgets:
        fitting = [model for model in path if len(model[1]) <= K]
        if fitting:
            C, support, weights, intercept = max(fitting, key=lambda model: len(model[1]))
            if C not in judged:
                judged[C] = best([task.judged(weights, intercept, support, C=C),
                                  *task.refitted(support, C=C)])
            yield K, judged[C]


def run_prune(task, importance):
    """Prunes a dense l2 model to its K most important features and fits those anew."""
    orders = []
    for C in task.prune_c:
        scores = np.abs(task.l2(task.X, C)[0]) * importance
        orders.append((C, np.argsort(-scores, kind="stable")[:np.count_nonzero(scores)]))
    for K in task.budgets:
        yield K, best([it for C, order in orders for it in task.refitted(order[:K], prune_C=C)])


def abess_worker(pipe, X, targets, K):
    resource.setrlimit(resource.RLIMIT_CPU, (ABESS_SECONDS, ABESS_SECONDS))
    from abess import LogisticRegression as Abess
    model = Abess(support_size=K, thread=1).fit(X, targets)
    pipe.send((np.asarray(model.coef_).ravel(), float(np.ravel(model.intercept_)[0])))


def run_abess(task):
    """Best subset by splicing; its own weights, or those of an l2 refit if they validate better."""
    targets = (task.y > 0).astype(int)
    columns = np.flatnonzero(task.rms)
    largest = ABESS_LARGEST_TEXT if task.is_text else ABESS_LARGEST
    if task.X.shape[0] * len(columns) > ABESS_CELLS:
        scores = np.abs(task.X.T @ (targets - targets.mean()))[columns] / task.rms[columns]
        columns = np.sort(columns[np.argsort(-scores, kind="stable")[:ABESS_SCREENED]])
        largest = ABESS_LARGEST_TEXT
    X = task.X[:, columns].toarray()
    varying = np.ptp(X, axis=0) > 0  # it refuses constant columns
    X, columns = X[:, varying], columns[varying]
    for K in task.budgets:
        if K > min(largest, X.shape[1]):
            return
        here, there = multiprocessing.Pipe()
        worker = multiprocessing.Process(target=abess_worker, args=(there, X, targets, K))
        worker.start()
        there.close()  # so that a worker that dies ends the waiting
        try:
            weights, intercept = here.recv()
        except EOFError:
            worker.join()
            stopped = worker.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
            yield K, {"note": "did not finish" if stopped else "failed"}
            return
        worker.join()
        chosen = np.flatnonzero(weights)
        yield K, best([task.judged(weights[chosen], intercept, columns[chosen]),
                       *task.refitted(columns[chosen])])


def two_class_pipelines(task, with_abess):
    path = []

    def l1():
        if not path:
            path.extend(l1_path(task))
        return path

    found = {
        "l1": lambda task: run_l1(task, l1()),
        "l1+refit": lambda task: run_l1_refit(task, l1()),
        "l2+prune |w|+refit": lambda task: run_prune(task, 1),
        "l2+prune |w|rms+refit": lambda task: run_prune(task, task.rms),
    }
    if with_abess:
        found["abess"] = run_abess
    return found


def read_parts(name, split):
    """The three parts as (matrix, labels), and the number of features."""
    read = [load_svmlight_file(str(path)) for path in parts(name, split)]
    d = read[0][0].shape[1]
    for X, _ in read:
        X.resize((X.shape[0], d))  # features the training rows do not know carry no weight
        # LIBLINEAR wants 32-bit indices.
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return read, d


def task_of(name, split):
    """The task, its pipelines, the number of its features."""
    read, d = read_parts(name, split)
    budgets = sorted(set(budgets_of(d)))
    if name in REGRESSION:
        return Regression(read, budgets), regression_pipelines, d
    if name in CLASSES:
        return Classes(read, budgets, name in TEXT), class_pipelines, d
    return Task(name, read, budgets), two_class_pipelines, d


def main(name, split):
    warnings.filterwarnings("ignore")  # l1 fits that stop after max_iter are used as they are
    task, pipelines_of, d = task_of(name, split)
    results, path_seconds = {}, None
    for pipeline, run in pipelines_of(task, bool(importlib.util.find_spec("abess"))).items():
        start, task.seconds_saved = cpu_seconds(), 0
        points = dict(run(task))
        seconds = cpu_seconds() - start + task.seconds_saved
        if path_seconds is None:
            path_seconds = seconds  # of the first pipeline, l1: the path and little else
        elif pipeline == "l1+refit":
            seconds += path_seconds
        results[pipeline] = {"seconds": seconds, "points": [
            {"features": K, **points[K]} for K in task.budgets if K in points]}
    write_json(WORK / "rivals" / f"{name}.{split}.json",
               {"dataset": name, "split": split, "features": d, "pipelines": results})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]))
