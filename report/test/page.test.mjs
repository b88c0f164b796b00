// The page in a real browser: what it draws, how it is read, what it gives away, and that names stay
// names. Run by test/run.sh.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dots, downloaded, figure, look, start, stop } from "./browser.mjs";
import { clean, hostile, hostilePage, trace, tracePage } from "./fixtures.mjs";
import { compareLayout } from "./layout.mjs";

let known, names;
before(async () => {
  known = tracePage();
  names = hostilePage();
  await start();
});
after(async () => {
  await stop();
  clean();
});

// As it is read, to six digits; files have all of them.
const read = (value) => (Number.isInteger(value) ? value.toLocaleString("en")
  : Math.abs(value) < 1e-3 ? value.toExponential(5).replace(/\.?0+e/, "e")
  : String(Number(value.toPrecision(6))));
const validated = trace.filter((point) => point.valid_error !== null).length;

async function hover(page, dot) {
  const box = await dot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
}

test("every point of the trace is drawn once", () => look(known, {}, async (page) => {
  assert.equal(await page.title(), "A known trace");
  assert.equal(await dots(figure(page, "Error against density")).count(), trace.length + validated);
  assert.equal(await dots(figure(page, "Objective")).count(), trace.length);
  assert.equal(await dots(figure(page, "Density")).count(), trace.length);
  assert.equal(await figure(page, "Validation loss").count(), 0);
}));

test("points are where their values say", () => look(known, {}, async (page) => {
  const chart = figure(page, "Objective");
  await chart.getByLabel("log x").uncheck();
  const boxes = await dots(chart).evaluateAll((all) => all.map((dot) => {
    const box = dot.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }));
  const share = (values, i) => (values[i] - values[0]) / (values.at(-1) - values[0]);
  const pixels = [0, 1].map((axis) => boxes.map((box) => box[axis]));
  trace.forEach((point, i) => {
    assert.ok(Math.abs(share(pixels[0], i) - share(trace.map((p) => p.data_accesses), i)) < 0.005);
    assert.ok(Math.abs(share(pixels[1], i) - share(trace.map((p) => p.objective), i)) < 0.005);
  });
}));

test("hovering a point reads its values", () => look(known, {}, async (page) => {
  const chart = figure(page, "Error against density");
  for (const place of [0, 3, 6]) {
    await hover(page, dots(chart).nth(place));
    const tip = await chart.locator(".tip").innerText();
    assert.match(tip, /training error/);
    assert.ok(tip.includes(read(trace[place].density)), tip);
    assert.ok(tip.includes(read(trace[place].train_error)), tip);
  }
  await hover(page, dots(chart).nth(trace.length));
  const tip = await chart.locator(".tip").innerText();
  const first = trace.find((point) => point.valid_error !== null);
  assert.ok(tip.includes(`${read(first.valid_error)} ± ${read(first.valid_error_se)}`), tip);
  await page.mouse.move(5, 5);
  assert.ok(await chart.locator(".tip").isHidden());
}));

test("series, axes and x can be switched", () => look(known, {}, async (page) => {
  const chart = figure(page, "Error against density");
  await chart.getByLabel("training error").uncheck();
  assert.equal(await dots(chart).count(), validated);
  await chart.getByLabel("training error").check();
  assert.equal(await dots(chart).count(), trace.length + validated);

  const objective = figure(page, "Objective");
  const places = () => dots(objective).evaluateAll((all) =>
    all.map((dot) => Math.round(dot.getBoundingClientRect().x)));
  const accesses = await places();
  await objective.getByRole("combobox").selectOption("seconds");
  const seconds = await places();
  assert.notDeepEqual(seconds, accesses);
  await objective.getByLabel("log x").click();
  assert.notDeepEqual(await places(), seconds);
  assert.equal(await dots(objective).count(), trace.length);
  assert.match(await objective.locator(".stage svg").textContent(), /seconds/);
}));

test("dragging zooms, and back", () => look(known, {}, async (page) => {
  const chart = figure(page, "Density");
  await chart.getByLabel("log x").uncheck();
  await chart.scrollIntoViewIfNeeded();
  const boxes = await Promise.all([3, 5].map((i) => dots(chart).nth(i).boundingBox()));
  await page.mouse.move(boxes[0].x - 4, boxes[0].y);
  await page.mouse.down();
  await page.mouse.move(boxes[1].x - 20, boxes[1].y, { steps: 4 });
  await page.mouse.up();
  assert.equal(await dots(chart).count(), 2);
  await hover(page, dots(chart).first());
  assert.ok((await chart.locator(".tip").innerText()).includes(read(trace[3].density)));
  await chart.getByRole("button", { name: "Show all" }).click();
  assert.equal(await dots(chart).count(), trace.length);
}));

test("everything works by keyboard", () => look(known, {}, async (page) => {
  const chart = figure(page, "Objective");
  await chart.getByRole("button", { name: "SVG" }).focus();
  const focused = () => page.evaluate(() => document.activeElement.className);
  for (let i = 0; i < 10 && (await focused()) !== "stage"; ++i) await page.keyboard.press("Tab");
  assert.equal(await focused(), "stage");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const tip = chart.locator(".tip");
  assert.ok((await tip.innerText()).includes(read(trace[1].objective)));
  await page.keyboard.press("ArrowLeft");
  assert.ok((await tip.innerText()).includes(read(trace[0].objective)));
  const errors = figure(page, "Error against density");
  await errors.locator(".stage").focus();
  for (const key of ["ArrowLeft", "ArrowUp"]) await page.keyboard.press(key); // the last, and across
  assert.ok((await errors.locator(".tip").innerText()).includes(read(trace[6].train_error)));
  await chart.locator(".stage").focus();
  await page.keyboard.press("+");
  assert.ok(await chart.getByRole("button", { name: "Show all" }).isVisible());
  await page.keyboard.press("0");
  assert.ok(await chart.getByRole("button", { name: "Show all" }).isHidden());
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  assert.equal(await dots(chart).count(), 0);
}));

test("downloads hold what is shown", () => look(known, { acceptDownloads: true }, async (page) => {
  const chart = figure(page, "Error against density");
  const csv = await downloaded(page, chart, "CSV");
  assert.equal(csv.name, "error-against-density.csv");
  const lines = csv.bytes.toString().replace("\ufeff", "").trim().split("\r\n");
  assert.equal(lines[0], "series,density,features used,error,standard error");
  assert.equal(lines.length, 1 + 2 * trace.length);
  assert.equal(lines[3], `training error,${trace[2].density},${trace[2].nonzeros},${trace[2].train_error},`);
  assert.equal(lines.at(-1), ["validation error", trace[6].density, trace[6].nonzeros,
                              trace[6].valid_error, trace[6].valid_error_se].join(","));

  const svg = (await downloaded(page, chart, "SVG")).bytes.toString();
  assert.ok(!/var\(|class=|<style|<script/.test(svg), "a picture brings its own colours");
  const shapes = await page.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml");
    return [picture.querySelectorAll("parsererror").length,
            picture.querySelectorAll("[aria-label=dot] > *").length];
  }, svg);
  assert.deepEqual(shapes, [0, trace.length + validated]);
  for (const text of ["Error against density", "training error", "validation error"]) {
    assert.ok(svg.includes(`>${text}<`), text);
  }

  const png = (await downloaded(page, chart, "PNG")).bytes;
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  const width = await chart.locator(".stage svg").first().evaluate((picture) => picture.clientWidth);
  assert.equal(png.readUInt32BE(16), 2 * width);
  assert.ok(png.length > 5000, "a picture is not empty");
}));

test("names are data, never markup", () => look(names, { acceptDownloads: true }, async (page) => {
  assert.equal(await page.title(), hostile[0]);
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.deepEqual(await page.evaluate(() =>
    [document.scripts.length, document.images.length]), [3, 0]);
  assert.equal(await page.locator("h1").innerText(), hostile[0]);
  // Every one of them, as it is, in the table of the experiment.
  const heading = page.getByRole("heading", { name: hostile[3] });
  const table = page.locator(".table").filter({ has: heading });
  const cells = await table.locator("td").allTextContents();
  assert.deepEqual(cells, hostile.map((name) => (name.trim() === "" ? `"${name}"` : name)));
  const bars = figure(page, "Strongest features by class");
  assert.equal(await bars.locator("[aria-label=bar] rect").count(), 30);
  const csv = (await downloaded(page, bars, "CSV")).bytes.toString();
  assert.ok(csv.includes(`for 1,${hostile[0]},`), csv.slice(0, 300));
  await downloaded(page, figure(page, hostile[1]), "SVG");
  assert.equal(await page.evaluate(() => window.hit), undefined);
}));

test("ten thousand features can be paged, sorted and found", () => look(names, {}, async (page) => {
  const table = page.locator(".table").filter({ has: page.getByRole("heading", { name: "Weights" }) });
  const rows = table.locator("tbody tr");
  assert.equal(await rows.count(), 25);
  assert.match(await table.locator(".place").innerText(), /1 to 25 of 10,000/);
  await table.getByRole("button", { name: "Next" }).click();
  assert.match(await table.locator(".place").innerText(), /26 to 50 of 10,000/);
  await table.getByRole("button", { name: "feature" }).click();
  assert.equal(await rows.first().locator("td").first().innerText(), "1");
  await table.getByRole("searchbox").fill("<IMG");
  assert.equal(await rows.count(), 1);
  assert.equal(await rows.first().locator("td").nth(1).innerText(), hostile[1]);
}));

test("light and dark can both be read", async () => {
  const papers = [];
  for (const colorScheme of ["light", "dark"]) {
    await look(known, { colorScheme }, async (page) => {
      const [text, series, paper] = await page.evaluate(() => {
        const colours = (value) => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = value;
          const numbers = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
          probe.remove();
          return numbers;
        };
        const light = (rgb) => rgb.map((c) => c / 255)
          .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const paper = light(colours("var(--paper)"));
        const contrast = (value) => {
          const [low, high] = [light(colours(value)), paper].sort((a, b) => a - b);
          return (high + 0.05) / (low + 0.05);
        };
        return [["ink", "soft", "accent"].map((c) => contrast(`var(--${c})`)),
                [0, 1, 2, 3, 4, 5, 6].map((i) => contrast(`var(--series-${i})`)), paper];
      });
      papers.push(paper);
      for (const ratio of text) assert.ok(ratio >= 4.5, `text ${colorScheme} ${ratio}`);
      for (const ratio of series) assert.ok(ratio >= 3, `series ${colorScheme} ${ratio}`);
    });
  }
  assert.ok(papers[0] > 0.8 && papers[1] < 0.1, String(papers));
});

test("a phone shows everything without scrolling sideways", async () => {
  for (const address of [known, names]) {
    const phone = { viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true };
    await look(address, phone, async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
      const widths = await page.locator(".stage svg").evaluateAll((all) =>
        all.map((picture) => picture.getBoundingClientRect().right));
      assert.ok(Math.max(...widths) <= 360);
    });
  }
});

test("a finger reads a point", async () => {
  await look(known, { viewport: { width: 360, height: 700 }, hasTouch: true }, async (page) => {
    const chart = figure(page, "Objective");
    await dots(chart).nth(2).tap({ force: true });
    assert.ok((await chart.locator(".tip").innerText()).includes(read(trace[2].objective)));
  });
});

test("the layout is the one that was approved", async () => {
  for (const [name, options] of Object.entries({
    wide: { viewport: { width: 1280, height: 1400 }, colorScheme: "light" },
    dark: { viewport: { width: 1280, height: 1400 }, colorScheme: "dark" },
    phone: { viewport: { width: 360, height: 1400 }, colorScheme: "light" },
  })) {
    await look(known, options, (page) => compareLayout(page, name));
  }
});
