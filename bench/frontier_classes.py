"""The competitors of `frontier_rivals.py` where several classes are to be told apart.

A budget of K allows K weights a class on average, K times the number of classes in all. What a
pipeline has to choose it chooses by validation error, ties by log-loss. Probabilities of one model
per class are normalised to sum to one.
"""
import numpy as np
from scipy.special import expit, log_softmax
from sklearn.linear_model import LogisticRegression

REFIT_C = (0.3, 3, 30, 300)
REFIT_C_DENSE = (*REFIT_C, 3000)
PRUNE_C = (1, 30)
L1_STEPS = 12


class Classes:
    """The matrices, scaled so that a training row's mean squared norm is 1."""

    def __init__(self, parts, budgets, is_text):
        (self.X, self.y), *held_out = parts
        self.labels = np.unique(self.y)
        scale = 1 / np.sqrt(self.X.multiply(self.X).sum() / self.X.shape[0])
        self.held_out = held_out
        for X in (self.X, held_out[0][0], held_out[1][0]):
            X.data *= scale
        self.d = self.X.shape[1]
        self.rms = np.sqrt(np.asarray(self.X.multiply(self.X).mean(axis=0)).ravel())
        self.budgets, self.refit_c = budgets, REFIT_C if is_text else REFIT_C_DENSE

    def judged(self, weights, intercepts, softmax, **chosen):
        """`weights` has a line a class."""
        found = {**chosen, "nonzeros": int(np.count_nonzero(weights))}
        for part, (X, y) in zip(("valid", "test"), self.held_out):
            margins = X @ weights.T + intercepts
            if softmax:
                logs = log_softmax(margins, axis=1)
            else:
                shares = np.maximum(expit(margins), 1e-12)
                logs = np.log(shares / shares.sum(axis=1, keepdims=True))
            truth = np.searchsorted(self.labels, y)
            found[f"{part}_error"] = float(np.mean(margins.argmax(axis=1) != truth))
            found[f"{part}_loss"] = float(-np.mean(logs[np.arange(len(y)), truth]))
        return found

    def one_vs_rest(self, supports, C, l1=False):
        """LIBLINEAR's model of each class on its own columns: weights of all columns, intercepts."""
        weights, intercepts = np.zeros((len(self.labels), self.d)), np.zeros(len(self.labels))
        for c, (label, support) in enumerate(zip(self.labels, supports)):
            targets = self.y == label
            if support is not None and not len(support):
                share = targets.mean()
                intercepts[c] = np.log(share / (1 - share))
                continue
            model = LogisticRegression(C=C, l1_ratio=float(l1), solver="liblinear", max_iter=100,
                                       random_state=1)
            model.fit(self.X if support is None else self.X[:, support], targets)
            weights[c, slice(None) if support is None else support] = model.coef_[0]
            intercepts[c] = model.intercept_[0]
        return weights, intercepts

    def softmax(self, support, C):
        weights = np.zeros((len(self.labels), self.d))
        model = LogisticRegression(C=C, solver="lbfgs", max_iter=200)
        model.fit(self.X[:, support], self.y)
        weights[:, support] = model.coef_
        return weights, model.intercept_

    def refitted(self, supports, **chosen):
        return [self.judged(*self.one_vs_rest(supports, C), False, refit_C=C, **chosen)
                for C in self.refit_c]


def best(candidates):
    return min(candidates, key=lambda it: (it["valid_error"], it["valid_loss"]))


def l1_path(task):
    """(C, weights, intercepts), from a few weights to the largest budget."""
    path = []
    for C in np.geomspace(0.1, max(task.refit_c), L1_STEPS):
        weights, intercepts = task.one_vs_rest([None] * len(task.labels), C, l1=True)
        path.append((C, weights, intercepts))
        if np.count_nonzero(weights) > task.budgets[-1] * len(task.labels):
            break
    return path


def within(task, path, K):
    return [it for it in path if np.count_nonzero(it[1]) <= K * len(task.labels)]


def run_l1(task, path):
    for K in task.budgets:
        if models := within(task, path, K):
            yield K, best([task.judged(weights, intercepts, False, C=C)
                           for C, weights, intercepts in models])


def run_l1_refit(task, path):
    for K in task.budgets:
        if models := within(task, path, K):
            C, weights, _ = models[-1]
            yield K, best(task.refitted([np.flatnonzero(of_class) for of_class in weights], C=C))


def run_prune(task):
    """l2 one against the rest, the K largest weights of each class, fitted anew."""
    dense = {C: task.one_vs_rest([None] * len(task.labels), C)[0] for C in PRUNE_C}
    for K in task.budgets:
        yield K, best([it for C, weights in dense.items() for it in task.refitted(
            [np.sort(np.argsort(-np.abs(of_class) * task.rms, kind="stable")[:K])
             for of_class in weights], prune_C=C)])


def run_softmax(task):
    """l2 softmax, the K columns with the largest weights over all classes, fitted anew."""
    everything = np.flatnonzero(task.rms)
    orders = {}
    for C in PRUNE_C:
        weights, _ = task.softmax(everything, C)
        orders[C] = np.argsort(-np.sqrt((weights ** 2).sum(axis=0)) * task.rms, kind="stable")
    for K in task.budgets:
        yield K, best([task.judged(*task.softmax(np.sort(order[:K]), C), True, prune_C=prune,
                                   refit_C=C) for prune, order in orders.items()
                       for C in task.refit_c])


def pipelines(task, _):
    path = []

    def l1():
        if not path:
            path.extend(l1_path(task))
        return path

    return {
        "l1": lambda task: run_l1(task, l1()),
        "l1+refit": lambda task: run_l1_refit(task, l1()),
        "l2+prune+refit": run_prune,
        "softmax+prune+refit": run_softmax,
    }
