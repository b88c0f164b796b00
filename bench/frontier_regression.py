"""The competitors of `frontier_rivals.py` where a number is to be predicted.

Columns are standardised with the means and deviations of the rows to learn from. What a pipeline has
to choose it chooses by squared error on the validation rows. Errors are mean squared errors in units
of the variance of the rows they are measured on: 1 - R^2.
"""
import numpy as np
from sklearn.linear_model import enet_path, orthogonal_mp_gram

RIDGES = (1e-3, 1e-2, 0.1, 1, 10, 100, 1000, 10000)
MIXES = (1, 0.9, 0.5)  # of l1 in elastic nets
STEPS = 100
BLENDS = (0.25, 0.5, 0.75)  # of l1 and least squares, as in glmnet's relax


class Regression:
    def __init__(self, parts, budgets):
        (X, y), *held_out = parts
        X = X.toarray()
        self.mean, self.scale = X.mean(axis=0), X.std(axis=0)
        self.columns = np.flatnonzero(self.scale > 1e-12 * np.abs(X).max(axis=0))
        self.center, self.unit = y.mean(), y.std()
        self.X, self.y = self.standardised(X), (y - self.center) / self.unit
        self.held_out = [(self.standardised(Z.toarray()), (t - self.center) / self.unit)
                         for Z, t in held_out]
        self.gram, self.products = self.X.T @ self.X, self.X.T @ self.y
        self.budgets = budgets

    def standardised(self, X):
        return ((X - self.mean) / np.where(self.scale > 0, self.scale, 1))[:, self.columns]

    def judged(self, weights, support, **chosen):
        full = np.zeros(len(self.columns))
        full[support] = weights
        errors = [float(np.mean((Z @ full - t) ** 2) / np.var(t)) for Z, t in self.held_out]
        return {**chosen, "nonzeros": int(np.count_nonzero(full)), "valid_error": errors[0],
                "valid_loss": errors[0], "test_error": errors[1]}

    def ridge(self, support, strength):
        part = self.gram[np.ix_(support, support)]
        return np.linalg.lstsq(part + strength * np.eye(len(support)), self.products[support],
                               rcond=None)[0]

    def refitted(self, support, **chosen):
        return [self.judged(self.ridge(support, strength), support, ridge=strength, **chosen)
                for strength in RIDGES] if len(support) else []

    def constant(self):
        return self.judged([], [])


def best(candidates):
    return min(candidates, key=lambda it: it["valid_error"])


def paths(task):
    """Models of elastic nets by mix: (strength, support, weights)."""
    found = {}
    for mix in MIXES:
        strengths, weights, _ = enet_path(task.X, task.y, l1_ratio=mix, n_alphas=STEPS, eps=1e-4)
        found[mix] = [(alpha, np.flatnonzero(w), w[np.flatnonzero(w)])
                      for alpha, w in zip(strengths, weights.T)]
    return found


def run_net(task, models):
    judged = [(len(support), task.judged(weights, support, alpha=alpha))
              for alpha, support, weights in models]
    for K in task.budgets:
        yield K, best([task.constant(), *(it for size, it in judged if size <= K)])


def run_l1_refit(task, models):
    """The last l1 support within the budget: a ridge on it, or a blend of l1 and least squares."""
    for K in task.budgets:
        alpha, support, weights = max((it for it in models if len(it[1]) <= K),
                                      key=lambda it: len(it[1]))
        if not len(support):
            yield K, task.constant()
            continue
        free = task.ridge(support, RIDGES[0])
        yield K, best([*task.refitted(support, alpha=alpha),
                       *(task.judged(blend * weights + (1 - blend) * free, support, alpha=alpha)
                         for blend in (*BLENDS, 1))])


def run_prune(task):
    everything = np.arange(len(task.columns))
    orders = [np.argsort(-np.abs(task.ridge(everything, strength)), kind="stable")
              for strength in (1, 100, 1000)]
    for K in task.budgets:
        yield K, best([it for order in orders for it in task.refitted(np.sort(order[:K]))])


def run_omp(task):
    for K in task.budgets:
        most = min(K, len(task.columns), len(task.y) - 1)
        weights = orthogonal_mp_gram(task.gram, task.products, n_nonzero_coefs=most)
        support = np.flatnonzero(weights)
        yield K, best([task.judged(weights[support], support), *task.refitted(support)])


def run_abess(task):
    from abess import LinearRegression
    for K in task.budgets:
        if K > min(len(task.columns), len(task.y) // 2):
            return
        model = LinearRegression(support_size=K, thread=1).fit(task.X, task.y)
        support = np.flatnonzero(model.coef_)
        yield K, best([task.judged(model.coef_[support], support), *task.refitted(support)])


def pipelines(task, with_abess):
    models = {}

    def nets():
        if not models:
            models.update(paths(task))
        return models

    found = {
        "l1": lambda task: run_net(task, nets()[1]),
        "elastic net": lambda task: run_net(task, [it for mix in MIXES for it in nets()[mix]]),
        "l1+refit": lambda task: run_l1_refit(task, nets()[1]),
        "l2+prune+refit": run_prune,
        "omp": run_omp,
    }
    if with_abess:
        found["abess"] = run_abess
    return found
