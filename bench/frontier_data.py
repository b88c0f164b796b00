#!/usr/bin/env python3
"""Makes the splits of the frontier benchmark: WORK/frontier/data/NAME/S.{train,valid,test}.

Usage: frontier_data.py [NAME...]     (without names: the published ones; needs scikit-learn)

Every split shuffles all rows of a data set anew, 60% to learn from, 15% to validate, 25% to test,
class by class. What is learnt from texts (words, document frequencies) is learnt from the training
rows alone. Splits depend on nothing but their number; files that are there are kept.
"""
import csv
import gzip
import lzma
import sys
import tarfile

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

from frontier_common import DATA, DEFAULT, NEWS, REGRESSION, SPLITS, parts
from frontier_tables import news_classes, regression_rows

WORDS = r"\b\w\w+\b"


def split_rows(labels, seed, by_class=True):
    """Row numbers of the three parts, shuffled."""
    random = np.random.default_rng(seed)
    chosen = ([], [], [])
    strata = labels if by_class else np.zeros(len(labels))
    for label in np.unique(strata):
        rows = random.permutation(np.flatnonzero(strata == label))
        cuts = [round(0.6 * len(rows)), round(0.75 * len(rows))]
        for part, some in zip(chosen, np.split(rows, cuts)):
            part.append(some)
    return [random.permutation(np.concatenate(part)) for part in chosen]


def matrix_lines(X, labels):
    """The rows of a sparse matrix as libsvm lines."""
    X.sort_indices()
    starts = X.indptr.tolist()
    entry = "%d:%.6g".__mod__
    for row, label in enumerate(labels):
        span = slice(starts[row], starts[row + 1])
        entries = zip((X.indices[span] + 1).tolist(), X.data[span].tolist())
        yield "%+g %s\n" % (label, " ".join(map(entry, entries)))


# --- Sources: each gives (rows, labels), rows being texts or ready "INDEX:VALUE ..." strings.

def svm_rows(*files):
    rows, labels = [], []
    for file in files:
        with lzma.open(DATA / file, "rt") as stream:
            for line in stream:
                label, _, entries = line.strip().partition(" ")
                if not label:
                    continue
                rows.append(entries.strip())
                labels.append(1 if float(label) > 0 else -1)
    return rows, labels


def mnist_rows(label_of, every=1):
    """Images and what `label_of` makes of their digits, without those it makes None of."""
    # A pixel takes one of 256 values, so the values are formatted once.
    shades = ["%.6g" % (shade / 255) for shade in range(256)]
    rows, labels = [], []
    for part in ("train", "t10k"):
        with gzip.open(DATA / f"{part}-labels-idx1-ubyte.gz") as stream:
            digits = np.frombuffer(stream.read(), np.uint8, offset=8)
        with gzip.open(DATA / f"{part}-images-idx3-ubyte.gz") as stream:
            images = np.frombuffer(stream.read(), np.uint8, offset=16).reshape(len(digits), -1)
        for row in range(0, len(digits), every):
            if (label := label_of(digits[row])) is None:
                continue
            lit = np.flatnonzero(images[row])
            rows.append(" ".join(f"{i + 1}:{shades[images[row, i]]}" for i in lit))
            labels.append(label)
    return rows, labels


def sms_texts():
    texts, labels = [], []
    with lzma.open(DATA / "sms-spam.tsv.xz", "rt", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            kind, tab, text = line.partition("\t")
            if tab:
                texts.append(text)
                labels.append(1 if kind == "spam" else -1)
            else:  # a message goes on after a line break
                texts[-1] += line
    return texts, labels


def rt_texts():
    with lzma.open(DATA / "rt-polarity.tsv.xz", "rt", encoding="utf-8", newline="\n") as stream:
        rows = [line.rstrip("\n").split("\t", 1) for line in stream]
    top = max(label for label, _ in rows)
    return [text for _, text in rows], [1 if label == top else -1 for label, _ in rows]


def table_rows(*files, label, header=True, ignore=()):
    """A table in the simplest encoding: numbers unchanged, a 0/1 column for each word, blank cells as
    zero. The label is the column of that name, or the last one; its largest value is +1."""
    records, names = [], None
    for file in files:
        with lzma.open(DATA / file, "rt", newline="") as stream:
            table = list(csv.reader(stream))
        if header:
            names, table = table[0], table[1:]
        records += table
    where = names.index(label) if label is not None else len(records[0]) - 1
    columns = [j for j in range(len(records[0])) if j != where
               and not (names and names[j] in ignore)]
    index = {}

    def entry(j, cell):
        try:
            return (index.setdefault((j, None), len(index) + 1), float(cell)) if cell.strip() else None
        except ValueError:
            return index.setdefault((j, cell), len(index) + 1), 1.0

    rows, labels = [], []
    top = max(record[where] for record in records)
    for record in records:
        entries = sorted(filter(None, (entry(j, record[j]) for j in columns)))
        rows.append(" ".join(f"{i}:{value:.6g}" for i, value in entries if value != 0))
        labels.append(1 if record[where] == top else -1)
    return rows, labels


def tar_texts(file):
    """(folder, text) of every document, in the order of their paths."""
    texts = {}
    with tarfile.open(DATA / file) as archive:
        for member in archive:
            if member.isfile():
                texts[member.name] = archive.extractfile(member).read().decode("latin-1")
    return [(path.split("/")[-2], texts[path]) for path in sorted(texts)]


def news_texts(documents, name):
    """Two top-level groups against each other; header lines are cut off, for they give it away."""
    positive, negative = name.split("_")
    texts, labels = [], []
    for group, text in documents:
        topic = group.split(".")[0]
        if topic in (positive, negative):
            texts.append(text.replace("\r\n", "\n").partition("\n\n")[2])
            labels.append(1 if topic == positive else -1)
    return texts, labels


def enron_texts():
    mails = [mail for mail in tar_texts("enron-spam.tar.xz") if mail[0] in ("ham", "spam")]
    return [text for _, text in mails], [1 if kind == "spam" else -1 for kind, _ in mails]


TABLES = {
    "madelon": (("madelon_train.csv.xz", "madelon_test.csv.xz"), {"label": "class"}),
    "magic04": (("magic04.csv.xz",), {"label": None, "header": False}),
    "telco": (("telco-churn.csv.xz",), {"label": "Churn", "ignore": ("customerID",)}),
}

# --- Writing

def vectorised(train, others, ngrams):
    if ngrams:
        vectoriser = HashingVectorizer(analyzer="char", ngram_range=(3, 6), n_features=2**24,
                                       alternate_sign=False, norm="l2", dtype=np.float32)
    else:
        vectoriser = TfidfVectorizer(token_pattern=WORDS)
    yield vectoriser.fit_transform(train)
    for texts in others:
        yield vectoriser.transform(texts)


def write_split(name, split, rows, labels, kind):
    labels = np.asarray(labels)
    numbers = split_rows(labels, seed=split, by_class=name not in REGRESSION)
    chosen = [[rows[i] for i in part] for part in numbers]
    if kind == "rows":
        lines = ([f"{labels[i]:+.10g} {rows[i]}\n" for i in part] for part in numbers)
    else:
        matrices = vectorised(chosen[0], chosen[1:], kind == "ngrams")
        lines = (matrix_lines(X, labels[part]) for X, part in zip(matrices, numbers))
    for path, some in zip(parts(name, split), lines):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(path.suffix + ".partial")
        with open(partial, "w") as out:
            out.writelines(some)
        partial.replace(path)


def prepare(name, cache={}):
    """Makes the missing splits of one data set. Raises FileNotFoundError without its source."""
    wanted = [split for split in range(1, SPLITS[name] + 1)
              if not all(path.exists() for path in parts(name, split))]
    if not wanted:
        return
    kind = "words"
    if name in NEWS or name == "news20":
        if "news" not in cache:
            cache["news"] = tar_texts("20news-bydate.tar.xz")
        rows, labels = (news_classes(cache["news"], every=3) if name == "news20"
                        else news_texts(cache["news"], name))
    elif name == "sms":
        rows, labels = sms_texts()
    elif name.startswith("enron"):
        rows, labels = enron_texts()
        kind = "ngrams" if name == "enron_ngrams" else "words"
    elif name == "rt":
        rows, labels = rt_texts()
    elif name in TABLES:
        (rows, labels), kind = table_rows(*TABLES[name][0], **TABLES[name][1]), "rows"
    elif name in REGRESSION:
        (rows, labels), kind = regression_rows(name), "rows"
    elif name == "mnist49":
        (rows, labels), kind = mnist_rows({4: 1, 9: -1}.get), "rows"
    elif name == "mnist10":
        (rows, labels), kind = mnist_rows(int, every=10), "rows"
    else:
        files = {"a9a": ("a9a_train", "a9a_test"), "arcene": ("arcene_train", "arcene_valid")}
        sources = [f"{file}.svm.xz" for file in files.get(name, (name,))]
        (rows, labels), kind = svm_rows(*sources), "rows"
    for split in wanted:
        write_split(name, split, rows, labels, kind)
        print(f"{name}: split {split} written", file=sys.stderr, flush=True)


if __name__ == "__main__":
    for dataset in sys.argv[1:] or DEFAULT:
        try:
            prepare(dataset)
        except FileNotFoundError as missing:
            print(f"{dataset}: skipped, no {missing.filename} (set THRESH_DATA)", file=sys.stderr)
