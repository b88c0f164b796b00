// Exports a model as a JavaScript module without dependencies, for browsers and node. It sums in
// the same order as Predictor; only the order of the squares of a text's terms may differ.
#include <nlohmann/json.hpp>

#include "model/export_data.hpp"
#include "thresh/export.hpp"
#include "thresh/files.hpp"
#include "thresh/version.hpp"

namespace thresh {
namespace {

constexpr std::string_view kScriptHead =
    R"js(// A sparse linear model, written by thresh VERSION. A JavaScript module, no dependencies.
//
//     import {predict, margins, probabilities} from "./model.mjs";
//     predict(row)         // the label, or the number
//     margins(row)         // one for each class, or one
//     probabilities(row)   // one for each class; null if the model gives none

const MODEL = JSON.parse(DATA);

const places = new Map(MODEL.features.map((key, place) => [key, place]));

// One margin for each class, or one for two classes and for numbers.
export function margins(row) {
  let values = new Map();
  for (const [key, value] of features(row)) values.set(key, (values.get(key) ?? 0) + value);
  if (MODEL.unit_length) values = ofUnitLength(values);
  const known = [];
  for (const [key, value] of values) {
    if (places.has(key)) known.push([places.get(key), value]);
  }
  known.sort((a, b) => a[0] - b[0]);
  const present = new Map(known);
  return MODEL.weights.map((weights, c) => {
    let sum = 0;
    for (const [place, value] of known) sum += weights[place] * value;
    let ofProducts = 0;
    for (const [first, second, weight] of MODEL.products[c]) {
      if (!present.has(first) || !present.has(second)) continue;
      ofProducts += weight * (present.get(first) * present.get(second));
    }
    return sum + MODEL.intercepts[c] + ofProducts;
  });
}

function ofUnitLength(values) {
  let largest = 0, squares = 0;
  for (const value of values.values()) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return values;
  const power = largest > 2 ** 400 ? 2 ** -600 : largest < 2 ** -400 ? 2 ** 600 : 1;
  for (const value of values.values()) squares += (value * power) * (value * power);
  const length = Math.sqrt(squares);
  return new Map([...values].map(([key, value]) => [key, value * power / length]));
}

// The label; for regression the number.
export function predict(row) {
  const found = margins(row), labels = MODEL.labels;
  if (MODEL.link === "log") return Math.min(Math.exp(found[0]), Number.MAX_VALUE);
  if (labels.length === 0) return found[0];
  if (found.length === 1) return labels[found[0] > MODEL.threshold ? 1 : 0];
  let largest = 0;
  for (let c = 1; c < found.length; ++c) if (found[c] > found[largest]) largest = c;
  return labels[largest];
}

// The probability of each class by ascending label; null if the model gives none.
export function probabilities(row) {
  let found = margins(row);
  if (MODEL.calibration) {
    const [slope, offset] = MODEL.calibration;
    const positive = 1 / (1 + Math.exp(-(slope * found[0] + offset)));
    return [1 - positive, positive];
  }
  if (MODEL.link === "none" || MODEL.link === "log") return null;
  if (MODEL.link === "logistic") {
    found = found.map((m) => -(Math.log1p(Math.exp(-Math.abs(m))) + Math.max(-m, 0)));
  }
  let largest = found[0], sum = 0;
  for (const m of found) largest = Math.max(largest, m);
  const shares = found.map((m) => Math.exp(m - largest));
  for (const share of shares) sum += share;
  return shares.map((share) => share / sum);
}
)js";

constexpr std::string_view kScriptPairs = R"js(
// A row is a Map, or pairs, of KEYS and values.
export function features(row) {
  return row;
}
)js";

constexpr std::string_view kScriptTable = R"js(
const TABLE = MODEL.table;
const missingWords = new Set(TABLE.na?.length ? TABLE.na : ["NA", "N/A", "NaN", "nan", "null", "NULL",
  "Null", "None", "none", "?", "-"]);
const isNumber = /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/;
const isDate = new RegExp("^(?:([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})|([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})" +
  "|([0-9]{4})([0-9]{2})([0-9]{2})|([0-9]{1,2})[.]([0-9]{1,2})[.]([0-9]{4}))(?:[ Tt]|$)");
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

// A row is an object of columns and cells: text as in a csv file, numbers, or null.
export function features(row) {
  const out = [];
  for (const column of TABLE.numbers) {
    const cell = cellOf(row, column);
    if (isMissing(cell)) {
      addMissing(column, [[column, own(TABLE.means, column)]], out);
    } else if (isNumber.test(cell) && Number.isFinite(Number(cell))) {
      out.push([column, Number(cell)]);
    } else {
      throw new RangeError(`${cell} in column ${column} is not a finite number`);
    }
  }
  for (const column of TABLE.categories) {
    const cell = cellOf(row, column);
    if (cell === "" || (TABLE.na?.length && missingWords.has(cell))) addMissing(column, [], out);
    else out.push([`${column}=${cell}`, 1]);
  }
  for (const [column, facts] of Object.entries(TABLE.dates ?? {})) addDate(row, column, facts, out);
TEXTS  return out;
}

function addDate(row, column, facts, out) {
  const cell = cellOf(row, column), mean = facts.mean;
  if (isMissing(cell)) {
    const instead = mean === undefined ? [] :
      [[`${column} year`, 1970 + mean / 365.2425], [`${column} age`, facts.latest - mean]];
    return addMissing(column, instead, out);
  }
  const parts = isDate.exec(cell)?.slice(1).filter((part) => part !== undefined).map(Number);
  if (parts && /^[0-9]{1,2}[.]/.test(cell)) parts.reverse();
  const date = new Date(0);
  if (parts) date.setUTCFullYear(parts[0], parts[1] - 1, parts[2]);
  if (!parts || parts[0] < 1 || date.getUTCMonth() !== parts[1] - 1 || date.getUTCDate() !== parts[2]) {
    throw new RangeError(`${cell} in column ${column} is not a date such as 2024-03-31`);
  }
  out.push([`${column} year`, parts[0]], [`${column} age`, facts.latest - date.getTime() / 86400000],
    [`${column} month=${parts[1]}`, 1], [`${column} weekday=${days[date.getUTCDay()]}`, 1]);
}

function addMissing(column, instead, out) {
  if (TABLE.missing === "refuse") throw new RangeError(`no value in column ${column}`);
  for (const [key, value] of instead) if (value !== undefined) out.push([key, value]);
  if (TABLE.indicators?.includes(column)) out.push([`${column} is missing`, 1]);
}

const own = (object, key) => object && Object.hasOwn(object, key) ? object[key] : undefined;

function cellOf(row, column) {
  const cell = own(row, column);
  if (cell === null || cell === undefined || Number.isNaN(cell)) return "";
  return String(cell).replace(/^[ \t]+|[ \t]+$/g, "");
}

const isMissing = (cell) => cell === "" || missingWords.has(cell);
)js";

constexpr std::string_view kScriptTerms = R"js(
function anyOf(ranges) {
  let pattern = "";
  for (let i = 0; i < ranges.length; i += 2) {
    pattern += `\\u{${ranges[i].toString(16)}}-\\u{${ranges[i + 1].toString(16)}}`;
  }
  return new RegExp(`[${pattern}]+`, "gu");
}
// Returns a function that turns a text into its terms and their weights.
function vectorizer(how) {
  const idfs = new Map();
  for (const [idf, names] of how.terms) for (const name of names.split("\n")) idfs.set(name, idf);
  const stopWords = new Set(how.stop_words);
  const lower = new Map();
  for (let i = 0; i < how.lower.length; i += 4) {
    const [first, last, step, change] = how.lower.slice(i, i + 4);
    for (let c = first; c <= last; c += step) lower.set(c, String.fromCodePoint(c + change));
  }
  const word = anyOf(how.word_characters), blanks = anyOf(how.blanks);
  const folded = (text) => [...text].map((c) => lower.get(c.codePointAt(0)) ?? c);

  function unitsOf(text) {
    if (how.unit === "characters") {
      return [folded(text.replace(blanks, " ").replace(/^ | $/g, "")), ""];
    }
    const words = (text.match(word) ?? []).map(folded).filter((w) => w.length >= how.min_length);
    return [words.map((w) => w.join("")).filter((w) => !stopWords.has(w)), " "];
  }

  return (text) => {
    const [units, between] = unitsOf(text);
    const [shortest, longest] = how.ngrams;
    const counts = new Map();
    for (let begin = 0; begin < units.length; ++begin) {
      for (let end = begin + shortest; end <= Math.min(begin + longest, units.length); ++end) {
        const term = units.slice(begin, end).join(between);
        if (idfs.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
      }
    }
    const row = [];
    let squares = 0;
    for (const term of [...counts.keys()].sort()) {
      const n = counts.get(term);
      const tf = how.tf === "count" ? n : how.tf === "log" ? Math.log(n) + 1 : 1;
      const value = tf * idfs.get(term);
      row.push([term, value]);
      squares += value * value;
    }
    if (how.norm === "l2") for (const entry of row) entry[1] /= Math.sqrt(squares);
    return row;
  };
}
)js";

constexpr std::string_view kScriptText = R"js(
// The terms of a text, and their weights.
export const features = vectorizer(MODEL.text);
)js";

constexpr std::string_view kScriptTexts = R"js(
const textColumns = Object.entries(MODEL.texts).map(([column, how]) => [column, vectorizer(how)]);
)js";

constexpr std::string_view kScriptColumns = R"js(  for (const [column, vectorize] of textColumns) {
    const cell = own(row, column);
    if (cell === null || cell === undefined || Number.isNaN(cell)) continue;
    for (const [term, value] of vectorize(String(cell))) out.push([`${column}:${term}`, value]);
  }
)js";

}  // namespace

void export_javascript(const Model& model, const std::string& path) {
  // As a string, because a key __proto__ of an object literal would mean something else.
  const std::string data =
      nlohmann::ordered_json(scoring_data(model, "JavaScript").dump(-1, ' ', true)).dump();
  const bool libsvm = model.format == Format::libsvm;
  const std::string pairs =
      replaced(kScriptPairs, "KEYS", libsvm ? "feature numbers" : "feature names");
  AtomicFile file(path);
  file.write(replaced(replaced(kScriptHead, "VERSION", version()), "DATA", data));
  const bool columns = !model.column_texts.empty();
  if (model.text || columns) file.write(kScriptTerms);
  if (columns) file.write(kScriptTexts);
  const std::string table = replaced(kScriptTable, "TEXTS", columns ? kScriptColumns : "");
  file.write(model.text ? kScriptText
                        : std::string_view(model.reading.has("numbers") ? table : pairs));
  file.commit();
}

}  // namespace thresh
