#!/usr/bin/env python3
"""Tables with scikit-learn: the pipeline that people write, for docs/tables.md.

    tables_rivals.py TRAIN.csv TEST.csv LABEL [--regression] [--drop A,B]

Imputation (mean for numbers, most frequent for categories) with indicators, scaling, one-hot
encoding, then an l1 model whose strength is cross-validated: LassoCV or LogisticRegressionCV.
Prints the test error in percent, or R2, and the number of features used.
"""
import argparse
import time

import numpy
import pandas
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def features(table):
    numbers = [c for c in table if pandas.api.types.is_numeric_dtype(table[c])]
    words = [c for c in table if c not in numbers]
    parts = [
        ("numbers", Pipeline([("fill", SimpleImputer(add_indicator=True)),
                              ("scale", StandardScaler())]), numbers),
        ("words", Pipeline([("fill", SimpleImputer(strategy="most_frequent")),
                            ("one", OneHotEncoder(handle_unknown="ignore"))]), words),
    ]
    return ColumnTransformer(parts)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("train")
    args.add_argument("test")
    args.add_argument("label")
    args.add_argument("--regression", action="store_true")
    args.add_argument("--drop", default="")
    args = args.parse_args()
    begun = time.time()
    train, test = pandas.read_csv(args.train), pandas.read_csv(args.test)
    dropped = [c for c in args.drop.split(",") if c] + [args.label]
    x, y = train.drop(columns=dropped), train[args.label]
    for column in x:
        if not pandas.api.types.is_numeric_dtype(x[column]):
            x[column] = x[column].astype(object)
    if args.regression:
        model = LassoCV(cv=5, max_iter=20000)
    else:
        model = LogisticRegressionCV(cv=5, penalty="l1", solver="liblinear", Cs=10, max_iter=1000)
    pipe = Pipeline([("features", features(x)), ("model", model)])
    pipe.fit(x, y)
    score = pipe.score(test.drop(columns=dropped), test[args.label])
    used = int(numpy.count_nonzero(pipe.named_steps["model"].coef_))
    if args.regression:
        print(f"R2 {score:.4f}, {used} features, {time.time() - begun:.1f} s")
    else:
        print(f"error {100 * (1 - score):.2f}%, {used} features, {time.time() - begun:.1f} s")


if __name__ == "__main__":
    main()
