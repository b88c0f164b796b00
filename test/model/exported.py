"""Runs an exported model on the rows of a file, without thresh: exported.py HOW FORMAT DATA MODEL.

HOW is python, sqlite, duckdb, onnx (onnxruntime) or twin (the ONNX file, read and computed by the few
lines below); rows writes the rows as JSON, for exported.mjs. Prints the label of each row and its
margins, separated by tabs. Exit code 77: the library for this is not installed.
"""
import csv
import importlib.util
import json
import math
import struct
import sys


def module_of(path):
    spec = importlib.util.spec_from_file_location("model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows_of(form, path):
    if form == "csv":
        with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
            return list(csv.DictReader(file))
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")[:-1]
    if form == "text":
        return lines
    rows = []
    for line in lines:
        text = line.decode()
        if form == "libsvm":
            pairs = (word.split(":") for word in text.split()[1:])
            rows.append({int(index): float(value) for index, value in pairs})
        else:  # vw, without namespaces
            row = {}
            for word in text.partition("|")[2].split():
                name, _, value = word.partition(":")
                row[name] = row.get(name, 0.0) + float(value or 1)
            rows.append(row)
    return rows


def show(label, margins):
    if isinstance(label, float) and label == int(label) and abs(label) < 1e15:
        label = int(label)
    print(label, *(repr(float(m)) for m in margins), sep="\t")


def run_sql(how, form, rows, path, data):
    if how == "duckdb":
        try:
            import duckdb
        except ImportError:
            sys.exit(77)
        base = duckdb.connect()
        base.execute("BEGIN")  # or each row is a transaction
    else:
        import sqlite3
        base = sqlite3.connect(":memory:")
    if how == "duckdb" and form == "csv" and data.endswith("guessed.csv"):
        # As DuckDB reads the file by itself.
        base.execute(f"CREATE TABLE raw AS SELECT * FROM read_csv('{data}')")
        types = [kind for _, kind, *_ in base.execute("DESCRIBE raw").fetchall()]
        assert "BOOLEAN" in types, types
        base.execute("CREATE TABLE data AS SELECT rowid AS _number, * FROM raw")
    elif form == "csv":
        names = ", ".join('"' + name.replace('"', '""') + '" TEXT' for name in ["_number", *rows[0]])
        base.execute(f"CREATE TABLE data ({names})")
        marks = ", ".join("?" * (len(rows[0]) + 1))
        for number, row in enumerate(rows):
            base.execute(f"INSERT INTO data VALUES ({marks})", [f"{number:09}", *row.values()])
    else:
        kind = "BIGINT" if form == "libsvm" else "TEXT"
        base.execute(f"CREATE TABLE data (row_id BIGINT, feature {kind}, value DOUBLE PRECISION)")
        entries = [(n, key, value) for n, row in enumerate(rows) for key, value in row.items()]
        base.executemany("INSERT INTO data VALUES (?, ?, ?)", entries)
    with open(path, encoding="utf-8") as file:
        found = base.execute(file.read())
    names = [column[0] for column in found.description]
    key = names.index("_number" if form == "csv" else "row_id")
    for row in sorted(found.fetchall(), key=lambda row: row[key]):
        margins = [v for n, v in zip(names, row) if n == "margin" or n.startswith("margin_")]
        show(row[names.index("predicted")], margins)


def matrix_of(rows, keys):
    return [[float(row.get(key, 0.0)) for key in keys] for row in rows]


def fields_of(data):
    """The fields of a message: (number, an integer or bytes)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            value, at = data[at : at + value], at + value
        yield tag >> 3, value


def all_of(data, number):
    return [value for field, value in fields_of(data) if field == number]


def tensor_of(data):
    kind, raw = all_of(data, 2)[0], b"".join(all_of(data, 9))
    if kind == 8:
        return [text.decode() for text in all_of(data, 6)]
    return list(struct.unpack(f"<{len(raw) // 8}{'d' if kind == 11 else 'q'}", raw))


def run_twin(graph, matrix):
    """What the operators of the file mean, for one row at a time."""
    constants = {all_of(t, 8)[0].decode(): tensor_of(t) for t in all_of(graph, 5)}
    for row in matrix:
        value = dict(constants, features=row)
        for node in all_of(graph, 1):
            a = [value[name.decode()] for name in all_of(node, 1)]
            operation = all_of(node, 4)[0].decode()
            if operation == "MatMul":
                columns = len(a[1]) // len(a[0])
                out = [sum(x * w for x, w in zip(a[0], a[1][c::columns])) for c in range(columns)]
            elif operation in ("Add", "Mul", "Div"):
                second = a[1] if len(a[1]) > 1 else a[1] * len(a[0])
                out = [x + y if operation == "Add" else x * y if operation == "Mul" else x / y
                       for x, y in zip(a[0], second)]
            elif operation == "Concat":
                out = a[0] + a[1]
            elif operation == "Greater":
                out = [x > a[1][0] for x in a[0]]
            elif operation in ("Cast", "Reshape"):
                out = [int(x) for x in a[0]]
            elif operation == "ArgMax":
                out = [a[0].index(max(a[0]))]
            elif operation == "Gather":
                out = [a[0][place] for place in a[1]]
            elif operation == "Sigmoid":
                out = [1 / (1 + math.exp(-x)) for x in a[0]]
            elif operation == "Exp":
                out = [math.exp(x) for x in a[0]]
            elif operation == "ReduceSum":
                out = [sum(a[0])]
            elif operation == "Softmax":
                powers = [math.exp(x - max(a[0])) for x in a[0]]
                out = [power / sum(powers) for power in powers]
            value[all_of(node, 2)[0].decode()] = out
        margins = value["margins"]
        show(value["label"][0] if "label" in value else value.get("rates", margins)[0], margins)


def run_onnx(how, form, rows, path):
    with open(path, "rb") as file:
        model = file.read()
    facts = {all_of(p, 1)[0].decode(): all_of(p, 2)[0].decode() for p in all_of(model, 14)}
    keys = facts["feature_names"].split("\n")[:-1]
    if form == "libsvm":
        keys = [int(index) for index in facts["feature_indices"].split()]
    matrix = matrix_of(rows, keys)
    if how == "twin":
        return run_twin(all_of(model, 7)[0], matrix)
    try:
        import numpy
        import onnxruntime
    except ImportError:
        sys.exit(77)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"features": numpy.array(matrix)})))
    for i, margins in enumerate(found["margins"]):
        label = found["label"][i] if "label" in found else found.get("rates", found["margins"])[i][0]
        show(label if isinstance(label, str) else float(label), margins)


def main():
    how, form, data, path = sys.argv[1:]
    rows = rows_of(form, data)
    if how == "rows":
        if form == "text":
            rows = [module_of("m.py")._decoded(line) for line in rows]
        elif form != "csv":
            rows = [list(row.items()) for row in rows]
        with open(path, "w", encoding="ascii") as file:
            json.dump(rows, file)
    elif how == "python":
        module = module_of(path)
        for row in rows:
            show(module.predict(row), module.margins(row))
    elif how in ("sqlite", "duckdb"):
        run_sql(how, form, rows, path, data)
    else:
        run_onnx(how, form, rows, path)


main()
