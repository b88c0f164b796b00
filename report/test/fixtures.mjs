// Pages to look at, made by the real program from files whose every number is known here.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const folder = mkdtempSync(join(tmpdir(), "thresh-report-"));
export const clean = () => rmSync(folder, { recursive: true });

const program = process.env.THRESH;
const thresh = (...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8" });
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
