#!/usr/bin/env python3
"""The papers' own solvers at feature budgets, tuned, on the splits of bench/frontier.

Usage: frontier_seeds.py [--splits 1,2,...] [NAME...]

Every solver learns each split once for every setting of its grid; at each budget the setting with the
smallest validation error counts (ties: the smaller model), and its test error is reported. Rows have
unit length. Splits that have been run are kept. Writes bench/results/frontier_seeds.md from all splits
that bench/frontier has run too; that of enron_ngrams is a page of its own.
"""
import argparse
import itertools
import json
import subprocess
import sys
from statistics import fmean, variance
from textwrap import fill

from frontier_common import (BUDGETS, DEFAULT, PROJECT, SPLITS, WORK, features_allowed, parts,
                             write_json)

LAMBDAS = (1e-5, 1e-4, 1e-3, 1e-2)
ETAS = (0.01, 0.1, 1, 10)
GRIDS = {
    # Scaling lambda, tau and eta together changes nothing but the scale of the weights: eta stays.
    "margin-perceptron": {"lambda": LAMBDAS, "tau": (0.01, 0.1), "no-intercept": (None,)},
    "truncated-gradient": {"lambda": LAMBDAS, "eta": ETAS},
    "fobos": {"lambda": LAMBDAS, "eta": ETAS},
    "l0-sgd": {"eta": ETAS},
    "rda": {"lambda": LAMBDAS},
    "ftrl": {"lambda": (0.1, 1, 10, 100)},  # of a sum over rows, not of a mean
    "scd": {"lambda": LAMBDAS},
}
# On the n-grams one setting of an online solver takes ten minutes: there the best of them alone.
NGRAM_GRIDS = {"scd": {"lambda": (1e-6, 1e-5, 1e-4)}}


def grids_of(name):
    return GRIDS if name in DEFAULT else NGRAM_GRIDS


def settings(grid):
    """Every combination of a grid's values, as arguments."""
    for values in itertools.product(*grid.values()):
        yield [word for name, value in zip(grid, values)
               for word in ([f"--{name}"] if value is None else [f"--{name}", f"{value:g}"])]


def frontier(name, split, solver, arguments):
    """One solver's models, None if it diverges."""
    train, valid, test = parts(name, split)
    shares = ",".join(f"{share:g}%" for share in BUDGETS)
    answer = subprocess.run(
        [PROJECT / "build" / "thresh", "frontier", train, "--valid", valid, "--test", test,
         "--budgets", shares, "--solvers", solver, "--normalize", "l2", *arguments, "--json", "-q"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        if "diverged" not in answer.stderr:
            sys.exit(answer.stderr)
        return None
    run, = json.loads(answer.stdout)["solvers"]
    return run


def tuned(name, split, solver):
    """The best setting at every budget, of those that came to a result."""
    runs = [{"arguments": " ".join(arguments), **run} for arguments in settings(grids_of(name)[solver])
            if (run := frontier(name, split, solver, arguments))]
    points = []
    for at_budget in zip(*(run["points"] for run in runs)):
        best = min(zip(runs, at_budget), key=lambda it: (it[1]["valid_error"], it[1]["nonzeros"]))
        points.append({**best[1], "chosen": best[0]["arguments"]})
    return {"solver": solver, "seconds": sum(run["seconds"] for run in runs), "points": points}


def errors(file, features):
    """Test error in percent by solver, a list over budgets. Of few features two budgets may be one."""
    def error(points, share):
        budget = features_allowed(share, features)
        point, = (it for it in points if it["features"] == budget)
        return 100 * point["test_error"]

    return {run["solver"]: [error(run["points"], share) for share in BUDGETS]
            for run in json.loads(file.read_text())["solvers"]}


def mean_and_error(cells, digits):
    """The mean over data sets of their means over splits, and its standard error from the splits."""
    variances = [variance(cell) / len(cell) for cell in cells if len(cell) > 1]
    error = sum(variances) ** 0.5 / len(cells)
    mean = fmean(fmean(cell) for cell in cells)
    return f"{mean:.{digits}f} ± {error:.{digits}f}" if variances else f"{mean:.{digits}f}"


def results_of(names):
    """By data set and solver, over budgets, the errors of all splits."""
    by_name = {}
    for name in names:
        found = []
        for split in range(1, SPLITS[name] + 1):
            seeds, thresh, rivals = (WORK / folder / f"{name}.{split}.json"
                                     for folder in ("seeds", "thresh", "rivals"))
            if seeds.exists() and thresh.exists() and rivals.exists():
                features = json.loads(rivals.read_text())["features"]
                found.append({**errors(seeds, features), **errors(thresh, features)})
        if found:
            by_name[name] = {solver: list(zip(*(it[solver] for it in found))) for solver in found[0]}
    return by_name


def table(by_name, digits):
    """Lines, and below them how many splits there are."""
    yield "| solver | " + " | ".join(f"{share:g}%" for share in BUDGETS) + " |"
    yield "|---" * (len(BUDGETS) + 1) + "|"
    for solver in next(iter(by_name.values())):
        means = [mean_and_error(cells, digits)
                 for cells in zip(*(it[solver] for it in by_name.values()))]
        yield f"| {solver} | " + " | ".join(means) + " |"
    splits = [f"{name} ({len(it['budget'][0])})" for name, it in by_name.items()]
    yield ""
    yield fill("Data sets, and splits of each: " + ", ".join(splits) + ".", 100)


def write_page(file, names, digits):
    by_name = results_of(names)
    if not by_name:
        return
    compared = file.replace("_seeds", "")
    over = f"mean over {len(by_name)} data sets of " if len(by_name) > 1 else "data of "
    text = (f"Test error in percent with its standard error, {over}[{compared}]({compared}). Each solver's "
            "options are chosen on validation rows, anew at every budget, from the grid in "
            "bench/frontier_seeds.py; rows have unit length. `budget` chooses for itself.")
    lines = ["# The papers' solvers at feature budgets", "", fill(text, 100), "",
             *table(by_name, digits)]
    (PROJECT / "bench" / "results" / file).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", help="split numbers, all by default")
    parser.add_argument("names", nargs="*", metavar="NAME", default=DEFAULT)
    options = parser.parse_args()
    asked = {int(split) for split in options.splits.split(",")} if options.splits else None
    for name in options.names:
        for split in range(1, SPLITS[name] + 1):
            result = WORK / "seeds" / f"{name}.{split}.json"
            if (asked and split not in asked) or result.exists() or not parts(name, split)[0].exists():
                continue
            print(f"{name}, split {split}", file=sys.stderr, flush=True)
            write_json(result, {"solvers": [tuned(name, split, solver) for solver in grids_of(name)]})
    for file, names, digits in (("frontier_seeds.md", DEFAULT, 1),
                                ("frontier_seeds_ngrams.md", ["enron_ngrams"], 2)):
        if set(names) & set(options.names):
            write_page(file, names, digits)


if __name__ == "__main__":
    main()
