// The same for JavaScript: exported.mjs ROWS.json MODEL.mjs
import {readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const [rows, model] = process.argv.slice(2);
const {predict, margins} = await import(pathToFileURL(model));
const lines = JSON.parse(readFileSync(rows, "utf8"))
  .map((row) => [predict(row), ...margins(row)].join("\t"));
process.stdout.write(lines.map((line) => line + "\n").join(""));
