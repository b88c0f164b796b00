"""The table of bench/cluster, and the model of the time fitted to it.

seconds = seconds of one process / R + exchanges (a (R - 1) + b delay) + c bytes / rate

Bytes are those that a rank sends; `rate` is the one that `tc tbf` allows. a, b and c minimise the squares of
relative errors: short runs count as much as long ones.
"""

import glob
import json
import sys


def row(n, delay, rate, name, work):
    report = json.load(open(f"{work}/report.json"))
    memory = max(int(open(path).read()) for path in glob.glob(f"{work}/memory.*")) / 1024
    ranks = report.get("ranks", {"exchanges": 0, "bytes_per_row": 0, "waiting_seconds": 0, "waiting_share": 0})
    each = 1000 * ranks["waiting_seconds"] / max(1, ranks["exchanges"])
    waiting = ranks["waiting_seconds"] / report["seconds"]
    print(f"| {name} | {n} | {delay} | {rate} | {report['seconds']:.2f} | {report['examples']} | {ranks['exchanges']} |"
          f" {each:.3f} | {ranks['bytes_per_row']:.0f} | {waiting:.0%} | {memory:.0f} |", flush=True)
    with open(f"{work}/runs", "a") as out:
        print(name, n, delay, rate, report["seconds"], ranks["exchanges"],
              ranks["bytes_per_row"] * report["examples"], file=out)


def solve(matrix, right):
    """Gaussian elimination; the matrix is positive definite."""
    n = len(right)
    rows = [list(line) + [value] for line, value in zip(matrix, right)]
    for i in range(n):
        for j in range(i + 1, n):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [x - factor * y for x, y in zip(rows[j], rows[i])]
    found = [0.0] * n
    for i in reversed(range(n)):
        found[i] = (rows[i][n] - sum(rows[i][k] * found[k] for k in range(i + 1, n))) / rows[i][i]
    return found


def fit(path):
    runs = [line.split() for line in open(path)]
    runs = [(name, int(n), float(delay), float(rate), *map(float, rest)) for name, n, delay, rate, *rest in runs]
    alone = {name: seconds for name, n, _, _, seconds, _, _ in runs if n == 1}
    shared = [run for run in runs if run[1] > 1]
    terms = [(exchanges * (n - 1), exchanges * delay / 1000, 8e-6 * sent / rate if rate else 0.0)
             for _, n, delay, rate, _, exchanges, sent in shared]
    used = [k for k in range(3) if any(term[k] for term in terms)]
    scaled = [[term[k] / run[4] for k in used] for term, run in zip(terms, shared)]
    rest = [1 - alone[run[0]] / run[1] / run[4] for run in shared]
    normal = [[sum(x[i] * x[j] for x in scaled) for j in range(len(used))] for i in range(len(used))]
    found = dict(zip(used, solve(normal, [sum(x[i] * y for x, y in zip(scaled, rest)) for i in range(len(used))])))
    a, b, c = (found.get(k, 0.0) for k in range(3))
    errors = sorted(abs(sum(found[k] * x for k, x in zip(used, line)) - y) for line, y in zip(scaled, rest))
    print(f"\nFitted to {len(shared)} runs: an exchange takes {1e6 * a:.0f} us for each other rank and {b:.2f} delays;"
          f" bytes take {c:.2f} times their number over the rate.")
    print(f"Error of the fit: {errors[len(errors) // 2]:.0%} of a run's seconds in the median,"
          f" {errors[-1]:.0%} at most.")
    for n in (2, 16, 100, 1000):
        print(f"  {n} ranks, 0.1 ms, 10 Gbit/s, a row's 16 bytes:"
              f" {1000 * (a * (n - 1) + b * 1e-4 + max(c, 1) * 128 * (n - 1) / 1e10):.2f} ms per exchange")


if __name__ == "__main__":
    if sys.argv[1] == "--row":
        row(*sys.argv[2:])
    else:
        fit(sys.argv[1])
