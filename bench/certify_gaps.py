#!/usr/bin/env python3
"""How far a budget's features are from the best choice: gaps at the root, and proofs.

Usage: certify_gaps.py root [NAME...]     gaps of --certify, 0.1% to 5% of the features; a NAME with a slash
                                          is a libsvm file, such as frontier_data.py makes
       certify_gaps.py prove [NAME...]    --prove 1% with 1 to 5 features, leukemia, colon-cancer, duke

Held-out rows choose the strength of the ridge, in each case. Prints a row of a table as soon as it
is known, and the median of the gaps. Times are of the processor, of training and certificate
together. Needs THRESH_DATA, and build/thresh or THRESH.
"""
import json
import lzma
import os
import resource
import statistics
import subprocess
import sys
import tempfile

DATA = os.environ.get("THRESH_DATA", "data")
THRESH = os.environ.get("THRESH", os.path.join(os.path.dirname(__file__), "../build/thresh"))
ROOT = {"a9a": "a9a_train.svm", "w8a": "w8a.svm", "rcv1": "rcv1.svm", "arcene": "arcene_train.svm",
        "colon-cancer": "colon-cancer.svm", "leukemia": "leukemia.svm", "duke": "duke.svm",
        "dorothea": "dorothea.svm"}
PROVE = ["leukemia", "colon-cancer", "duke"]
SHARES = ["0.1%", "0.5%", "1%", "2%", "5%"]


def train(name, folder, *options):
    """The certificate, and the seconds of processor time that it took."""
    data, model = os.path.join(folder, name + ".svm"), os.path.join(folder, "model.thresh")
    if "/" in name:
        data = name
    if not os.path.exists(data):
        with lzma.open(os.path.join(DATA, ROOT[name] + ".xz")) as packed, open(data, "wb") as plain:
            plain.write(packed.read())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([THRESH, "train", data, "-o", model, "--json", "--certify", *options],
                         capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        return None, run.stderr.strip().splitlines()[-1], 0
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return json.loads(run.stdout)["certificate"], seconds, os.path.getsize(model)


def row(name, folder, *options):
    """Prints a line; returns the gap as a share of what features could gain."""
    found, seconds, size = train(name, folder, *options)
    if found is None:
        print(f"| {name} | {options[1]} | {seconds} |", flush=True)
        return None
    gap = found["objective"] - found["bound"]
    most = found["without_features"] - found["bound"]
    nodes = len(found.get("tree", []))
    shown = os.path.basename(os.path.dirname(name)) if "/" in name else name
    print(f"| {shown} | {found['features']} | {found['ridge']:.3g} | {found['objective']:.4g} | "
          f"{found['bound']:.4g} | {gap / found['objective']:.2%} | {gap / most:.2%} | "
          f"{found['proved_out']:,} of {found['occurring']:,} | {len(found['proved_in'])} | "
          f"{nodes:,} | {seconds:.1f} | {size / 1000:,.0f} |", flush=True)
    return gap / most


def main(what, names):
    print("| data | K | R | objective | bound | gap, of the objective | of what features could gain "
          "| proved out | proved in | nodes | processor s | model kB |")
    print("|" + "---|" * 12)
    gaps = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names or (ROOT if what == "root" else PROVE):
            if what == "root":
                gaps += [row(name, folder, "--density", share) for share in SHARES]
            else:
                gaps += [row(name, folder, "--features", str(k), "--prove", "1%")
                         for k in range(1, 6)]
    known = [gap for gap in gaps if gap is not None]
    print(f"median gap {statistics.median(known):.2%} of what features could gain, "
          f"{len(known)} of {len(gaps)} runs")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("root", "prove"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
