"""What the frontier scripts share: where things are, the data sets, the budgets."""
import json
import math
import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("THRESH_DATA") or PROJECT.parent / "shared" / "data")
WORK = Path(os.environ.get("THRESH_BENCH_WORK") or PROJECT / "bench" / "work") / "frontier"

# Percent of the features of the training file; below 100 features, numbers of them.
BUDGETS = (0.1, 0.5, 1, 2, 5, 10, 20, 40)
SMALL_BUDGETS = (1, 2, 3, 5, 8, 12, 20, 100)

NEWS = ("comp_rec", "sci_talk", "comp_sci", "comp_talk", "rec_sci", "rec_talk")
TEXT = ("sms", *NEWS, "rcv1", "enron", "enron_ngrams", "rt", "news20")
REGRESSION = ("ames", "california")
CLASSES = ("news20", "mnist10")

# Name -> number of splits. Tests on a dozen rows are noisy: the smallest sets get more splits.
SPLITS = {
    "sms": 5, "comp_rec": 5, "sci_talk": 5, "rcv1": 5, "a9a": 5, "mnist49": 5,
    "colon-cancer": 20, "leukemia": 20, "arcene": 20, "dorothea": 20,
    "comp_sci": 5, "comp_talk": 5, "rec_sci": 5, "rec_talk": 5, "enron": 5, "enron_ngrams": 5,
    "rt": 5, "w8a": 5, "madelon": 5, "duke": 10, "magic04": 5, "telco": 5,
    "ames": 5, "california": 5, "news20": 5, "mnist10": 5,
}

# Run only where they are asked for: the n-grams take gigabytes of text and hours; with the others the
# rivals alone take twice as long as without them.
BY_NAME = ("enron_ngrams", "rt", "w8a", "madelon", "duke", "magic04", "telco", *REGRESSION, *CLASSES)
DEFAULT = tuple(name for name in SPLITS if name not in BY_NAME)
PAGES = {
    "frontier_ngrams.md": ("enron_ngrams",),
    "frontier_more.md": (*REGRESSION, *CLASSES),
}
PAGES["frontier.md"] = tuple(name for name in SPLITS if name not in sum(PAGES.values(), ()))


def features_allowed(share, d):
    """The K of a budget of `share` percent of d features."""
    # The share times d is rounded to a millionth first: 0.1% of 7000 must not become 6.
    return max(1, math.floor(round(share * d / 100, 6)))


def budgets_of(d):
    """The K of each budget, as many as BUDGETS. Small ones may be equal."""
    if d < 100:
        return [min(K, d) for K in SMALL_BUDGETS]
    return [features_allowed(share, d) for share in BUDGETS]


def parts(name, split):
    """The paths of the train, valid and test file."""
    return [WORK / "data" / name / f"{split}.{part}" for part in ("train", "valid", "test")]


def write_json(path, content):
    """Writes the file whole or not at all, so that an interrupted run leaves no half result."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=1) + "\n")
    partial.replace(path)
