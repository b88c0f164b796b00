"""Sources of bench/frontier with a number or several classes to predict.

Each gives (rows, labels). A row is a text, or "INDEX:VALUE ..." made once for all competitors.
"""
import csv
import lzma
from collections import Counter

import numpy as np

from frontier_common import DATA

REGRESSIONS = {
    # MS SubClass is a code for the kind of house, written as a number.
    "ames": ("ames-housing.csv.xz", "SalePrice", {"Order", "PID"}, {"MS SubClass"}),
    "california": ("california-housing.csv.xz", "Price", set(), set()),
}
MISSING = {"", "NA"}


def is_number(cell):
    try:
        return np.isfinite(float(cell))
    except ValueError:
        return False


def columns_of(name, cells, as_words):
    """The features that a column of a table becomes, as arrays. Numbers stay, with the median in
    place of missing ones and a 0/1 feature that marks these. Words become a 0/1 feature each."""
    known = [cell for cell in cells if cell not in MISSING]
    if name not in as_words and all(map(is_number, known)):
        middle = float(np.median([float(cell) for cell in known]))
        missing = np.array([cell in MISSING for cell in cells])
        yield np.array([middle if cell in MISSING else float(cell) for cell in cells])
        if missing.any():
            yield missing.astype(float)
        return
    words = np.array(cells)
    for word in sorted(set(cells)):
        yield (words == word).astype(float)


def regression_rows(name):
    file, target, ignored, as_words = REGRESSIONS[name]
    with lzma.open(DATA / file, "rt", newline="") as stream:
        names, *records = csv.reader(stream)
    columns = dict(zip(names, zip(*records)))
    labels = np.array([float(cell) for cell in columns.pop(target)])
    features = [feature for column, cells in columns.items() if column not in ignored
                for feature in columns_of(column, cells, as_words)]
    X = np.column_stack(features)
    rows = [" ".join(f"{j + 1}:{row[j]:.6g}" for j in np.flatnonzero(row)) for row in X]
    return rows, labels


def news_classes(documents, every):
    """All groups of 20 Newsgroups without header lines, every so many documents of a group."""
    seen, texts, groups = Counter(), [], []
    for group, text in documents:
        if seen[group] % every == 0:
            texts.append(text.replace("\r\n", "\n").partition("\n\n")[2])
            groups.append(group)
        seen[group] += 1
    numbers = {group: i for i, group in enumerate(sorted(seen), 1)}
    return texts, [numbers[group] for group in groups]
