#!/usr/bin/env python3
"""Compares results of `thresh frontier` with the rivals' as Markdown tables.

Usage: frontier_compare.py [--thresh DIR] [--rivals DIR] [--solver NAME] [--output FILE] [NAME...]

DIR holds NAME.S.json, one file a data set and split. --solver is the one that is compared (budget
by default); other solvers in the files become rows of the table of means. Only splits that both
sides have count. Without --thresh: what the rivals do. NAME...: these data sets only. Needs nothing
but Python's library.

"Rivals" is, for every split and budget, the pipeline that is best on validation error (ties by
log-loss): what somebody gets who runs them all.
"""
import argparse
import json
from collections import Counter, defaultdict
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from frontier_common import BUDGETS, DEFAULT, SPLITS, WORK, budgets_of

RIVALS = "rivals"
PROGRAM = "all of thresh"
ROUNDING = 1e-3  # percent: differences below this come from printed numbers


def at(points, K):
    """The point of budget K. Somebody else's rounding of a share may be off by one."""
    near = [p for p in points if abs(p["features"] - K) <= 1 and "test_error" in p]
    return min(near, key=lambda p: abs(p["features"] - K), default=None)


class Results:
    """error[method][dataset][share][split], seconds[method][dataset][split], picked[dataset][share]"""

    def __init__(self, names, rivals, thresh, solver):
        self.error = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
        self.seconds = defaultdict(lambda: defaultdict(dict))
        self.picked = defaultdict(lambda: defaultdict(Counter))
        self.solvers, self.pipelines = [], []
        self.splits, self.features = defaultdict(list), {}
        for name in names:
            for split in range(1, SPLITS[name] + 1):
                files = [folder / f"{name}.{split}.json" for folder in (rivals, thresh) if folder]
                if all(file.exists() for file in files):
                    self.add(name, split, solver, *(json.loads(file.read_text()) for file in files))
        self.names = [name for name in names if self.splits[name]]

    def add(self, name, split, solver, rivals, thresh=None):
        runs = {run["solver"]: run for run in thresh["solvers"]} if thresh else {}
        if thresh and solver not in runs:
            return
        self.splits[name].append(split)
        self.features[name] = rivals["features"]
        for known, new in ((self.solvers, runs), (self.pipelines, rivals["pipelines"])):
            known.extend(method for method in new if method not in known)
        everyone = runs | rivals["pipelines"]
        for method, run in everyone.items():
            self.seconds[method][name][split] = run["seconds"]
        if thresh and "program_seconds" in thresh:
            self.seconds[PROGRAM][name][split] = thresh["program_seconds"]
        # The l1 path is in the time of l1+refit, too.
        self.seconds[RIVALS][name][split] = sum(
            run["seconds"] for method, run in rivals["pipelines"].items() if method != "l1")
        for share, K in zip(BUDGETS, budgets_of(rivals["features"])):
            found = {method: at(run["points"], K) for method, run in everyone.items()}
            found = {method: point for method, point in found.items() if point}
            pick = min((method for method in rivals["pipelines"] if method in found),
                       key=lambda it: (found[it]["valid_error"], found[it]["valid_loss"]))
            self.picked[name][share][pick] += 1
            for method, point in found.items():
                self.error[method][name][share][split] = 100 * point["test_error"]
            self.error[RIVALS][name][share][split] = 100 * found[pick]["test_error"]

    def mean(self, method, name, share):
        """The mean over splits, None if the method misses one."""
        errors = self.error[method][name][share]
        return fmean(errors.values()) if len(errors) == len(self.splits[name]) else None

    def difference(self, solver, name, share):
        """Mean and standard error of solver minus rivals over the splits (None with one split)."""
        ours, theirs = (self.error[method][name][share] for method in (solver, RIVALS))
        paired = [ours[split] - theirs[split] for split in ours]
        if not paired:
            return None, None
        return fmean(paired), stdev(paired) / sqrt(len(paired)) if len(paired) > 1 else None


def table(header, rows):
    def line(cells):
        return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"

    yield ""
    yield line(header)
    yield "|" + "---|" * len(header)
    yield from map(line, rows)
    yield ""


def number(value, form=".2f"):
    return "-" if value is None else format(value, form)


def dataset_table(results, name, solver):
    """One data set, a line a budget. Yields lines."""
    d = results.features[name]
    yield f"### {name}"
    yield ""
    yield f"Splits: {len(results.splits[name])}. Features: {d} (in the last of them)."
    rows = []
    for share, K in zip(BUDGETS, budgets_of(d)):
        (pick, times), = results.picked[name][share].most_common(1)
        row = [f"{share:g}%" if d >= 100 else "", str(K),
               number(results.mean(RIVALS, name, share))]
        if solver:
            gap, error = results.difference(solver, name, share)
            row += [number(results.mean(solver, name, share)),
                    f"{number(gap, '+.2f')} ± {number(error)}"]
        rows.append(row + [f"{pick} ({times})"])
    ours = [solver, "difference ± SE"] if solver else []
    yield from table(["share", "K", RIVALS, *ours, "picked most often"], rows)


def mean_table(results, solver):
    """Means over data sets. A method that did not finish everywhere has no mean that compares: its
    row covers the data sets it has, and the row below gives the rivals on those."""
    def row(label, method, covered):
        cells = []
        for share, names in zip(BUDGETS, covered):
            means = [results.mean(method, name, share) for name in names]
            cells.append(number(fmean(means)) if means else "-")
        return [label, *cells]

    rows = []
    for method in [*results.solvers, RIVALS, *results.pipelines]:
        covered = [[name for name in results.names if results.mean(method, name, share) is not None]
                   for share in BUDGETS]
        if not any(covered):
            continue
        rows.append(row(f"**{method}**" if method == solver else method, method, covered))
        if any(len(names) < len(results.names) for names in covered):
            counts = ", ".join(str(len(names)) for names in covered)
            rows.append(row(f"rivals on the same data sets ({counts})", RIVALS, covered))
    yield from table(["method", *(f"{share:g}%" for share in BUDGETS)], rows)


def verdict(results, solver):
    """Which cells (data set, budget) differ by more than two standard errors."""
    cells, worse, better = 0, [], []
    for name in results.names:
        for share in BUDGETS:
            gap, error = results.difference(solver, name, share)
            if error is None:
                continue
            cells += 1
            if abs(gap) > max(2 * error, ROUNDING):
                text = f"{name} {share:g}%: {gap:+.2f} ± {error:.2f}"
                (worse if gap > 0 else better).append(text)
    yield f"Of {cells} cells (data set and budget, at least two splits):"
    for word, found in (("worse", worse), ("better", better)):
        yield ""
        yield (f"{solver} is {word} than the rivals by more than two standard errors in {len(found)}"
               f" ({100 * len(found) / max(cells, 1):.1f}%)" + (":" if found else "."))
        yield ""
        yield from (f"- {text}" for text in found)


def time_table(results):
    yield ""
    yield f"Seconds of one core. A solver's are those of learning; {PROGRAM} is the processor time of"
    yield "the program, reading, scoring and all; the rivals' is processor time without reading."
    methods = [*results.solvers, PROGRAM, *results.pipelines]
    rows = [[name, *(number(fmean(seconds.values()) if seconds else None) for seconds in
                     (results.seconds[method][name] for method in [*methods, RIVALS]))]
            for name in results.names]
    yield from table(["seconds a split", *methods, "rivals together"], rows)


# What is to be known of a data set that has a page of its own.
NOTES = {
    "enron_ngrams": """\
Enron-spam, character n-grams of 3 to 6 letters, hashed to 16.7 million features. Of these 2.8 million
occur in the rows to learn from, so that budgets of 20% and 40% hold them all. The rivals chose from fewer
strengths than elsewhere, since a fit takes minutes; they took the weakest of them, C = 300, throughout, and
C = 3,000, tried on one split, was no better. l1 at its weakest penalty has fewer features than any of these
budgets allows. abess is for dense matrices and took no K here. Both sides ran beside other work, which makes
their seconds larger than they had to be.
""",
    "ames": "`ames` and `california` are regressions: their figures are 1 - R^2 on the test rows.\n",
    "mnist10": "`mnist10` and `news20` have several classes: K is the number of weights per class.\n",
    "magic04": """\
Nothing was chosen by `duke`, `magic04` and `telco`. Below 100 columns the budgets are 1, 2, 3, 5, 8, 12, 20
and all columns.
""",
    "california": "Nothing was chosen by `california`.\n",
}


def report(results, solver):
    yield "# Test error at feature budgets"
    yield ""
    yield from (NOTES[name] for name in results.names if name in NOTES)
    yield "Percent of the test rows, means over random splits 60/15/25. K = share of the features."
    yield "Differences are paired by split."
    yield ""
    yield f"## Means over {len(results.names)} data sets" if len(results.names) > 1 else "## Means"
    yield from mean_table(results, solver)
    if solver:
        yield from verdict(results, solver)
        yield ""
    yield "## Time of all budgets together"
    yield from time_table(results)
    yield "## Data sets"
    yield ""
    for name in results.names:
        yield from dataset_table(results, name, solver)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thresh", type=Path)
    parser.add_argument("--rivals", type=Path, default=WORK / "rivals")
    parser.add_argument("--solver", default="budget")
    parser.add_argument("--output", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(DEFAULT),
                        help="fifteen of those with two classes by default")
    options = parser.parse_args()
    results = Results(options.names, options.rivals, options.thresh, options.solver)
    if not results.names:
        parser.exit(1, "no split has results of both sides\n")
    text = "\n".join(report(results, options.solver if options.thresh else None)).rstrip() + "\n"
    print(text, end="")
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
