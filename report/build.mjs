// Makes the page's template: one file with script and style inside and a place for the data.
// Usage: node build.mjs PAGE.html PAGE.inc, the second as a string literal for the C++ compiler.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = dirname(fileURLToPath(import.meta.url));
const [html, literal] = process.argv.slice(2);
process.chdir(folder);

async function bundle(entry, options = {}) {
  const result = await build({
    entryPoints: [entry], bundle: true, minify: true, write: false, metafile: true,
    charset: "ascii", logLevel: "warning", ...options,
  });
  const [output] = Object.values(result.metafile.outputs);
  const used = Object.entries(output.inputs).filter(([, input]) => input.bytesInOutput > 0);
  return { text: result.outputFiles[0].text.trim(), files: used.map(([file]) => file) };
}

// Of all packages whose code is in the bundle; each text once.
function licences(files) {
  const packages = new Set(files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]));
  packages.delete(undefined);
  const names = new Map();
  for (const name of [...packages].sort()) {
    const root = join("node_modules", name);
    const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} says nothing of its licence`);
    const text = readFileSync(join(root, file), "utf8").trim();
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return [...names].map(([text, users]) => `${users.join(", ")}:\n\n${text}\n`).join("\n");
}

const script = await bundle("src/main.ts", { format: "iife", target: "es2022" });
const style = await bundle("src/style.css");
const parts = {
  "script-hash": `sha256-${createHash("sha256").update(script.text).digest("base64")}`,
  style: style.text, script: script.text, licences: licences(script.files),
};
for (const [what, text] of Object.entries(parts)) {
  if (/<\/(script|style)/i.test(text)) throw new Error(`${what} would end its own element`);
}
const page = readFileSync("src/page.html", "utf8")
  .replace(/\{\{([a-z-]+)\}\}/g, (place, what) => parts[what] ?? place);
const fence = "page";
if (page.includes(`)${fence}"`)) throw new Error("the page would end its own string literal");
writeFileSync(html, page);
writeFileSync(literal, `R"${fence}(${page})${fence}"\n`);
