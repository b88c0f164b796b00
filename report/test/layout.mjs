// Guards the layout: a screenshot, averaged over cells of 20 x 20 pixels, is compared with the one
// that was approved. Averages forgive how a font draws its letters; one font for all machines keeps
// lines where they were. THRESH_APPROVE=1 approves what is there now: look at it first.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const kCell = 20;
const kDifferent = 16; // grey levels of 256, of a cell
const kAllowed = 0.015; // share of cells: a line of text that ends elsewhere is less, a moved card more

const here = dirname(fileURLToPath(import.meta.url));

// Runs in the browser, which can decode a picture: one row of hexadecimal grey levels a line.
async function averaged([bytes, cell]) {
  const image = new Image();
  image.src = `data:image/png;base64,${bytes}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const lines = [];
  for (let y = 0; y + cell <= image.height; y += cell) {
    let line = "";
    for (let x = 0; x + cell <= image.width; x += cell) {
      const { data } = context.getImageData(x, y, cell, cell);
      let sum = 0;
      for (let i = 0; i < data.length; i += 4) sum += (data[i] + data[i + 1] + data[i + 2]) / 3;
      line += Math.round(sum / (cell * cell)).toString(16).padStart(2, "0");
    }
    lines.push(line);
  }
  return lines;
}

const levels = (lines) => lines.map((line) => line.match(/../g).map((level) => parseInt(level, 16)));

export async function compareLayout(page, name) {
  await page.addStyleTag({ content: `* { font-family: "DejaVu Sans" !important; }` });
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(1, 1);
  const picture = await page.screenshot({ animations: "disabled" });
  const now = await page.evaluate(averaged, [picture.toString("base64"), kCell]);
  const file = join(here, "approved", `${name}.txt`);
  if (process.env.THRESH_APPROVE || !existsSync(file)) {
    assert.ok(process.env.THRESH_APPROVE, `${file} is missing`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, now.join("\n") + "\n");
    return;
  }
  const before = levels(readFileSync(file, "utf8").trim().split("\n"));
  const after = levels(now);
  assert.deepEqual([after.length, after[0].length], [before.length, before[0].length]);
  const cells = before.flat();
  const moved = after.flat().filter((level, i) => Math.abs(level - cells[i]) > kDifferent).length;
  const share = moved / cells.length;
  assert.ok(share <= kAllowed, `${name}: ${(100 * share).toFixed(1)}% of the page looks different`);
}
