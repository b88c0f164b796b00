// Pages to look at, made by the real program from files whose every number is known here.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const folder = mkdtempSync(join(tmpdir(), "thresh-report-"));
export const clean = () => rmSync(folder, { recursive: true });

const program = process.env.THRESH;
export const thresh = (...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8" });
const write = (file, text) => writeFileSync(join(folder, file), text);
const address = (file) => pathToFileURL(join(folder, file)).href;

// A trace of seven points; two of them without validation.
export const trace = [1, 2, 3, 4, 5, 6, 7].map((i) => ({
  pass: i, examples: 10 * i, updates: i, data_accesses: 1234 * i * i, seconds: i / 8,
  objective: 0.7 / i, nonzeros: 3 ** i, density: 3 ** i / 1e4, train_error: 0.31 / i,
  valid_error: i > 2 ? 0.35 / i + 0.012345678901 : null, valid_error_se: i > 2 ? 0.01 / i : null,
  valid_loss: null,
}));

export function tracePage() {
  write("known.jsonl", trace.map((point) => JSON.stringify(point) + "\n").join(""));
  thresh("report", "known.jsonl", "-o", "trace.html", "--title", "A known trace", "-q");
  return address("trace.html");
}

export const hostile = [
  "</script><script>window.hit = 1</script>", "<img src=x onerror='window.hit = 2'>",
  "\"quoted\" & 'single' `back`", "👩‍👩‍👧‍👦 family", "مرحبا بالعالم", "\u202egnorw yaw", "{{data}}", "$& $1 \\u003c",
  "=HYPERLINK(1)", "a".repeat(300), "<!--", "]]>", " ", "line\u2028separator",
];

// Ten thousand features, the first of them with names that would like to be more than names.
export function hostilePage() {
  const count = 10_000;
  const names = [...hostile];
  for (let i = names.length; i < count; ++i) names.push(`word ${i + 1}`);
  write("names.txt", names.join("\n") + "\n");
  const row = (first, label) => {
    let text = label;
    for (let i = first; i <= count; i += 2) text += ` ${i}:${i <= 2 * hostile.length ? 50 - i : 1}`;
    return text + "\n";
  };
  write("rows.svm", row(1, "+1") + row(2, "-1"));
  thresh("train", "rows.svm", "--names", "names.txt", "--solver", "margin-perceptron",
         "--lambda", "0", "-o", "<script> & co.thresh", "-q");
  write("e.json", JSON.stringify({
    kind: "experiment", title: hostile[0], notes: [hostile[1]], facts: [[hostile[0], hostile[4]]],
    figures: [{ title: hostile[1], x: hostile[0], y: hostile[2],
                series: hostile.map((name, i) => ({ name, x: [1, 2], y: [i, i + 1] })) }],
    tables: [{ title: hostile[3], columns: [hostile[0]], rows: hostile.map((name) => [name]) }],
  }));
  thresh("report", "<script> & co.thresh", "e.json", "-o", "hostile.html", "--title", hostile[0], "-q");
  return address("hostile.html");
}

// Figures whose pictures can be computed by hand.
export const figures = {
  decades: { title: "Decades", x: "a", y: "b", log_x: true, log_y: true,
             series: [{ name: "s", x: [1e-6, 1, 1e6], y: [1, 10, 100] }] },
  narrow: { title: "Narrow", x: "a", y: "b", log_x: true, log_y: true,
            series: [{ name: "s", x: [1.1, 1.2, 1.3], y: [0.3456781, 0.3456785, 0.3456782] }] },
  errors: { title: "Errors", x: "a", y: "b",
            series: [{ name: "s", x: [1, 2, 3, 4], y: [1, 2, 4, 3], se: [0.5, null, 8, 0.25] }] },
  missing: { title: "Missing", x: "a", y: "b",
             series: [{ name: "s", x: [1, 2, 3, 4, null, 6], y: [5, null, 3, 2, 1, null] }] },
  columns: { title: "Columns", kind: "columns", x: "a", y: "b",
             series: [{ name: "s", x: [1, 2, 3, 4], y: [10, 40, null, 20] }] },
  bars: { title: "Bars", kind: "bars", y: "b",
          series: [{ name: "s", labels: ["up", "missing", "up too"], y: [4, null, 2] },
                   { name: "t", labels: ["down"], y: [-1] }] },
  words: { title: "Words", x: "long ".repeat(60), y: "name ".repeat(60),
           series: [{ name: "s", x: [1, 2], y: [1, 2] }] },
};

export function figuresPage() {
  write("figures.json", JSON.stringify(
    { kind: "experiment", title: "Figures", figures: Object.values(figures) }));
  thresh("report", "figures.json", "-o", "figures.html", "-q");
  return address("figures.html");
}

// A model file with these weights: one list [name, weight], or one for each class.
function writeModel(file, classes, labels, lists, columns) {
  const many = classes.length > 2;
  const header = {
    task: "classification", solver: "budget", labels: classes, label_names: labels, format: "csv",
    ...(many ? { class_link: "softmax" } : { calibration: { slope: 1, offset: 0 } }),
    reading: { header: true, numbers: columns, categories: [], label: "label", means: {} },
    dimension: columns.length, zero_based: false, normalize: "none",
    intercept: many ? classes.map(() => 0) : -0.1,
    // eta and lambda are none of this solver's.
    options: { solver: "budget", ridge: 1 / 3, loss: "logistic", eta: 0.1, lambda: 1e-4,
               schedule: "constant", features: 16, passes: 20 },
    summary: { pass: 20, examples: 8000, valid_rows: 0, valid_weight: 0, status: "passes spent" },
  };
  const lines = lists.flatMap((weights, c) => [
    ...(many ? [`class ${classes[c]}`] : []),
    ...weights.map(([name, weight]) => `${columns.indexOf(name) + 1}\t${weight}\t${name.replaceAll("\\", "\\\\")}`)]);
  const body = `thresh-model 3\n${JSON.stringify(header)}\n${lines.join("\n")}\n`;
  const count = lists.flat().length;
  write(file, `${body}end ${count} crc32 ${crc32(Buffer.from(body)).toString(16).padStart(8, "0")}\n`);
}

function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

// The same numbers everywhere.
function drawer(seed) {
  return () => (seed = (48271 * seed) % 2147483647) / 2147483647;
}

const csvCell = (text) => `"${text.replaceAll('"', '""')}"`;

// Columns with names that would like to be markup, and two classes that would, too.
export const answer = {
  labels: ["<b>no</b>", "yes & \"so\""],
  columns: [...hostile.filter((name) => name.trim() !== "" && !name.includes("\u2028")), "plain", "other"],
};
answer.weights = answer.columns.map((name, i) => [name, (i % 2 === 0 ? 1 : -1) * (2 - i / 9)]);
{
  const draw = drawer(7);
  answer.rows = Array.from({ length: 400 }, () => {
    const values = answer.columns.map(() => Math.round(20 * draw()) / 10 - 1);
    const margin = answer.weights.reduce((sum, [, weight], i) => sum + weight * values[i], -0.1);
    return { values, margin, positive: draw() < 1 / (1 + Math.exp(-margin)) };
  });
}

const writeRows = (file, columns, rows) => write(file, [
  [...columns, "label"].map(csvCell).join(","),
  ...rows.map(({ values, label }) => `${values.join(",")},${csvCell(label)}`)].join("\n") + "\n");

export function answerPage() {
  writeModel("answer.thresh", [0, 1], answer.labels, [answer.weights], answer.columns);
  writeRows("answer.csv", answer.columns, answer.rows.map(({ values, positive }) =>
    ({ values, label: answer.labels[positive ? 1 : 0] })));
  thresh("report", "answer.thresh", "answer.csv", "-o", "answer.html", "-q");
  return address("answer.html");
}

// Nine classes: more than colours.
export const classes = Array.from({ length: 9 }, (_, c) => `comp.sys.a-long-group.${c}`);

export function classesPage() {
  const columns = Array.from({ length: 20 }, (_, i) => `word${i}`);
  const weights = classes.map((_, c) => columns.map((name, i) => [name, ((c * i) % 9) - 4.25]));
  writeModel("classes.thresh", classes.map((_, c) => c), classes, weights, columns);
  const draw = drawer(3);
  writeRows("classes.csv", columns, Array.from({ length: 300 }, (_, row) =>
    ({ values: columns.map(() => Math.round(100 * draw()) / 100), label: classes[row % 9] })));
  thresh("report", "classes.thresh", "classes.csv", "-o", "classes.html", "-q");
  return address("classes.html");
}

// What `thresh train --json` writes if it has chosen a size.
export const sizes = {
  model: "m.thresh", pass: 20, examples: 8000, nonzeros: 48, valid_rows: 0, valid_weight: 0,
  status: "passes spent", chosen: 50, best_valid_error: 0.1 + 1 / 30, bad_rows: 0,
  options: { solver: "budget", ridge: 1 / 3, eta: 0.1, lambda: 1e-4, schedule: "constant" },
  frontier: [1, 5, 20, 50, 100].map((features, i) => ({
    features, nonzeros: Math.ceil(0.96 * features), valid_error: [0.3, 0.25, 0.2, 0.14, 0.1 + 1 / 30][i],
    valid_error_se: 0.01 / 3, valid_loss: [0.6, 0.5, 0.4, 0.31, 0.3][i],
  })),
};

export function sizesPage() {
  write("sizes.json", JSON.stringify(sizes));
  thresh("report", "sizes.json", "-o", "sizes.html", "-q");
  return address("sizes.html");
}
