// Exports a model as a Python module without dependencies. It sums in the same order as Predictor,
// so its margins equal those of `thresh predict` to the last bit, but for rows of unit length.
#include <nlohmann/json.hpp>

#include "model/export_data.hpp"
#include "thresh/export.hpp"
#include "thresh/files.hpp"
#include "thresh/version.hpp"

namespace thresh {
namespace {

constexpr std::string_view kPythonHead =
    R"py("""A sparse linear model, written by thresh VERSION. Python 3, no dependencies.

    import MODULE
    MODULE.predict(ROW)         # the label, or the number
    MODULE.margins(ROW)         # one for each class, or one
    MODULE.probabilities(ROW)   # one for each class; None if the model gives none

    python3 MODULE.py < rows    # a label a line; a row is LINE
"""

import datetime
import json
import math
import re
import sys

MODEL = json.loads(r"""DATA""")

FEATURES = {key: place for place, key in enumerate(MODEL["features"])}


def margins(row):
    """The margins of a row, one for each class, or one for two classes and for numbers."""
    values = {}
    for key, value in features(row):
        values[key] = values.get(key, 0.0) + value
    if MODEL["unit_length"]:
        largest = max((abs(value) for value in values.values()), default=0.0)
        if largest > 0:
            power = 2.0**-600 if largest > 2.0**400 else 2.0**600 if largest < 2.0**-400 else 1.0
            length = math.sqrt(sum((value * power) ** 2 for value in values.values()))
            values = {key: value * power / length for key, value in values.items()}
    known = sorted((FEATURES[key], value) for key, value in values.items() if key in FEATURES)
    present = dict(known)
    result = []
    for weights, intercept, products in zip(MODEL["weights"], MODEL["intercepts"], MODEL["products"]):
        total, of_products = 0.0, 0.0
        for place, value in known:
            total += weights[place] * value
        for first, second, weight in products:
            if first in present and second in present:
                of_products += weight * (present[first] * present[second])
        result.append(total + intercept + of_products)
    return result


def predict(row):
    """The label of a row; for regression the number."""
    found, labels = margins(row), MODEL["labels"]
    if MODEL["link"] == "log":
        return math.exp(min(found[0], 709.78))
    if not labels:
        return found[0]
    if len(found) == 1:
        return labels[1 if found[0] > MODEL["threshold"] else 0]
    return labels[found.index(max(found))]


def probabilities(row):
    """The probability of each class by ascending label; None if the model gives none."""
    found = margins(row)
    if MODEL["calibration"]:
        slope, offset = MODEL["calibration"]
        positive = _logistic(slope * found[0] + offset)
        return [1 - positive, positive]
    if MODEL["link"] in ("none", "log"):
        return None
    if MODEL["link"] == "logistic":
        found = [-(math.log1p(math.exp(-abs(m))) + max(-m, 0.0)) for m in found]
    largest = max(found)
    shares = [math.exp(share - largest) for share in found]
    return [share / sum(shares) for share in shares]


def _logistic(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))

)py";

constexpr std::string_view kPythonPairs = R"py(
def features(row):
    """A row is a dict, or pairs, of KEYS and values."""
    return row.items() if hasattr(row, "items") else row


def _read(line):
    return READ
)py";

constexpr std::string_view kPythonTable = R"py(
TABLE = MODEL["table"]
MISSING = set(TABLE.get("na") or ["NA", "N/A", "NaN", "nan", "null", "NULL", "Null", "None",
                                  "none", "?", "-"])
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
DATE = re.compile(r"(?:([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})|([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})"
                  r"|([0-9]{4})([0-9]{2})([0-9]{2})|([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4}))"
                  r"(?:[ Tt]|\Z)")
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def features(row):
    """A row is a dict of columns and cells: text as in a csv file, numbers, or None."""
    for column in TABLE["numbers"]:
        cell = _cell(row.get(column))
        if _is_missing(cell):
            yield from _missing(column, [(column, (TABLE.get("means") or {}).get(column))])
            continue
        if not isinstance(cell, float):
            if not NUMBER.fullmatch(cell) or math.isinf(float(cell)):
                raise ValueError(f"{cell!r} in column {column} is not a finite number")
            cell = float(cell)
        yield column, cell
    for column in TABLE["categories"]:
        cell = _cell(row.get(column))
        if cell == "" or (TABLE.get("na") and cell in MISSING):
            yield from _missing(column, [])
        else:
            yield f"{column}={cell if isinstance(cell, str) else format(cell, '.17g')}", 1.0
    for column, facts in (TABLE.get("dates") or {}).items():
        cell = _cell(row.get(column))
        if _is_missing(cell):
            mean = facts.get("mean")
            yield from _missing(column, [] if mean is None else [
                (column + " year", 1970 + mean / 365.2425),
                (column + " age", facts["latest"] - mean)])
            continue
        found = DATE.match(str(cell))
        if not found:
            raise ValueError(f"{cell!r} in column {column} is not a date such as 2024-03-31")
        parts = [int(part) for part in found.groups() if part is not None]
        if found.group(10) is not None:
            parts.reverse()
        day = datetime.date(*parts)
        yield column + " year", float(day.year)
        yield column + " age", facts["latest"] - (day - datetime.date(1970, 1, 1)).days
        yield f"{column} month={day.month}", 1.0
        yield f"{column} weekday={DAYS[day.weekday()]}", 1.0
TEXTS

def _missing(column, instead):
    if TABLE.get("missing") == "refuse":
        raise ValueError(f"no value in column {column}")
    for key, value in instead:
        if value is not None:
            yield key, value
    if column in (TABLE.get("indicators") or []):
        yield column + " is missing", 1.0


def _cell(cell):
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, (int, float)):
        return float(cell) if not isinstance(cell, bool) else str(cell)
    return str(cell).strip(" \t")


def _is_missing(cell):
    return cell == "" or (isinstance(cell, str) and cell in MISSING)


def _read(line):
    return json.loads(line)
)py";

constexpr std::string_view kPythonTerms = R"py(

class _Text:
    """How texts become terms and their weights."""

    def __init__(self, how):
        self.how = how
        self.idf = {term: idf for idf, terms in how["terms"] for term in terms.split("\n")}
        self.lower = {}
        for first, last, step, change in zip(*[iter(how["lower"])] * 4):
            self.lower.update({c: c + change for c in range(first, last + 1, step)})
        self.word = re.compile(self._any_of(how["word_characters"]))
        self.blanks = re.compile(self._any_of(how["blanks"]))

    @staticmethod
    def _any_of(ranges):
        pairs = zip(ranges[::2], ranges[1::2])
        return "[" + "".join(rf"\U{first:08x}-\U{last:08x}" for first, last in pairs) + "]+"

    def _units(self, text):
        if self.how["unit"] == "words":
            words = (word.translate(self.lower) for word in self.word.findall(text)
                     if len(word) >= self.how["min_length"])
            return [word for word in words if word not in self.how["stop_words"]], " "
        return list(self.blanks.sub(" ", text).translate(self.lower).strip(" ")), ""

    def row(self, text):
        if isinstance(text, bytes):
            text = _decoded(text)
        units, between = self._units(text)
        counts = {}
        shortest, longest = self.how["ngrams"]
        for begin in range(len(units)):
            for end in range(begin + shortest, min(begin + longest, len(units)) + 1):
                term = between.join(units[begin:end])
                if term in self.idf:
                    counts[term] = counts.get(term, 0) + 1
        row, squares = [], 0.0
        for term in sorted(counts):
            n = counts[term]
            tf = {"count": float(n), "log": math.log(n) + 1, "binary": 1.0}[self.how["tf"]]
            row.append((term, tf * self.idf[term]))
            squares += row[-1][1] * row[-1][1]
        if self.how["norm"] == "l2":
            row = [(term, value / math.sqrt(squares)) for term, value in row]
        return row


def _decoded(text):
    out = []
    while text:
        try:
            return "".join(out) + text.decode()
        except UnicodeDecodeError as error:
            out.append(text[: error.start].decode() + chr(text[error.start]))
            text = text[error.start + 1 :]
    return "".join(out)


)py";

constexpr std::string_view kPythonText = R"py(
TEXT = _Text(MODEL["text"])


def features(text):
    """The terms of a text, and their weights. Bytes are UTF-8, and others Latin-1."""
    return TEXT.row(text)


def _read(line):
    return line.rstrip(b"\r\n")
)py";

constexpr std::string_view kPythonColumns = R"py(    for column, text in TEXTS.items():
        cell = row.get(column)
        if cell is not None and cell == cell:
            for term, value in text.row(cell if isinstance(cell, (str, bytes)) else str(cell)):
                yield f"{column}:{term}", value
)py";

constexpr std::string_view kPythonMain = R"py(

if __name__ == "__main__":
    for line in sys.stdin.buffer:
        print(predict(_read(line)), flush=True)
)py";

}  // namespace

void export_python(const Model& model, const std::string& path) {
  const std::string data = scoring_data(model, "Python").dump(-1, ' ', true);
  const bool table = model.reading.has("numbers"), libsvm = model.format == Format::libsvm;
  std::string head = replaced(kPythonHead, "VERSION", version());
  head = replaced(head, "MODULE", "model");
  head = replaced(head, "ROW", "row");
  head = replaced(head, "LINE", model.text ? "a line of text" : "a JSON object");
  std::string pairs = replaced(kPythonPairs, "KEYS", libsvm ? "feature numbers" : "feature names");
  pairs = replaced(
      pairs, "READ",
      libsvm ? "{int(key): value for key, value in json.loads(line).items()}" : "json.loads(line)");
  AtomicFile file(path);
  file.write(replaced(head, "DATA", data));
  const bool columns = !model.column_texts.empty();
  if (model.text || columns) file.write(kPythonTerms);
  if (columns)
    file.write("\nTEXTS = {column: _Text(how) for column, how in MODEL[\"texts\"].items()}\n");
  const std::string of_table = replaced(kPythonTable, "TEXTS", columns ? kPythonColumns : "");
  file.write(model.text ? kPythonText : std::string_view(table ? of_table : pairs));
  file.write(kPythonMain);
  file.commit();
}

}  // namespace thresh
