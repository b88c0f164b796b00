// The sections of a model and data: the answer, curves, calibration, what decides, the chosen size.
// What they show is what the program says of the same files, or can be counted here. Run by run.sh.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { boxes, dots, downloaded, figure, look, part, start, stop } from "./browser.mjs";
import { answer, answerPage, classes, classesPage, clean, sizes, sizesPage, thresh } from "./fixtures.mjs";
import { compareLayout } from "./layout.mjs";

let pages, metrics, uses;
before(async () => {
  pages = { answer: answerPage(), classes: classesPage(), sizes: sizesPage() };
  metrics = JSON.parse(thresh("eval", "answer.thresh", "answer.csv", "--json"));
  uses = JSON.parse(thresh("explain", "answer.thresh", "answer.csv", "--summary", "--json", "--top", "99"));
  await start();
});
after(async () => {
  await stop();
  clean();
});

const phone = { viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true };
const near = (is, wanted, pixels = 1) =>
  assert.ok(Math.abs(is - wanted) <= pixels, `${is} is not about ${wanted}`);
const section = (page, title) =>
  page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: title }) });
const table = (page, title) =>
  page.locator(".table").filter({ has: page.getByRole("heading", { name: title, exact: true }) });

const factsOf = (place) => place.locator(".facts > div").evaluateAll((all) =>
  Object.fromEntries(all.map((fact) => [...fact.children].map((child) => child.textContent))));

const cells = (table) => table.locator("tbody tr").evaluateAll((rows) =>
  rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

const wrong = answer.rows.filter(({ margin, positive }) => (margin > 0) !== positive).length;
const percent = (share) => `${Number((100 * share).toPrecision(4))}%`;
const four = (number) => (number < 1 ? number.toFixed(4) : String(Number(number.toPrecision(4))));
const between = ([low, high], form) => ` [${form(low)},\u00a0${form(high)}]`;

test("the page begins with the answer and ends with what is for experts", () =>
  look(pages.answer, {}, async (page) => {
    const titles = await page.locator("h2").allTextContents();
    assert.equal(titles[0], "The answer");
    assert.match(titles.at(-2), /^For experts/);
    const { intervals, auc, log_loss: loss } = metrics;
    const facts = await factsOf(section(page, "The answer"));
    assert.deepEqual(facts, {
      error: percent(wrong / 400) + between(intervals.error, percent),
      AUC: four(auc) + between(intervals.auc, four),
      "log-loss": four(loss) + between(intervals.log_loss, four),
      "features used": `${answer.weights.length} of ${answer.columns.length} (100%)`,
      rows: "400",
    });
    const [place] = await boxes(section(page, "The answer").locator(".facts"));
    assert.ok(place.bottom < 400, String(place.bottom));
    assert.equal(await figure(page, "Exponents of the weights").count(), 1);
    assert.equal(await section(page, /^For experts/).locator("figure").count(), 1);
  }));

test("every figure has its interval", () => look(pages.answer, {}, async (page) => {
  const facts = await factsOf(section(page, /^Evaluation/));
  for (const name of ["error", "accuracy", "AUC", "F1", "precision", "recall", "log-loss",
                      "calibration error"]) {
    assert.match(facts[name], /^[\d.]+%? \[[\d.]+%?,\u00a0[\d.]+%?\]$/, name);
  }
}));

test("curves run from corner to corner, through all thresholds", () =>
  look(pages.answer, {}, async (page) => {
    for (const title of ["ROC", "Gains"]) {
      const chart = figure(page, title);
      const points = await boxes(dots(chart));
      assert.equal(points.length, metrics.curve.length + 2, title);
      // The last two are those of chance.
      const [low, high] = points.slice(-2);
      near(points[0].x, low.x);
      near(points[0].y, low.y);
      near(points.at(-3).x, high.x);
      near(points.at(-3).y, high.y);
      const at = (share) => low.x + share * (high.x - low.x);
      metrics.curve.forEach((point, i) =>
        near(points[i].x, at(title === "ROC" ? point.false_positive_rate : point.share)));
    }
    const chart = figure(page, "Precision against recall");
    assert.equal(await dots(chart).count(), metrics.curve.filter(({ precision }) => precision !== null).length);
  }));

test("calibration shows every bin with its interval", () => look(pages.answer, {}, async (page) => {
  const chart = figure(page, "Calibration");
  assert.equal(await dots(chart).count(), metrics.calibration.length + 2);
  const bars = await boxes(part(chart, "error bar"));
  assert.equal(bars.length, metrics.calibration.length);
  const [from, to] = (await boxes(dots(chart))).slice(-2);
  const at = (share) => from.y + share * (to.y - from.y);
  metrics.calibration.forEach(({ interval, positives }, i) => {
    const se = (interval[1] - interval[0]) / 3.92;
    near(bars[i].top, at(positives + se));
    near(bars[i].bottom, at(positives - se));
  });
}));

test("the confusion matrix names the classes", () => look(pages.answer, {}, async (page) => {
  const [no, yes] = [`${answer.labels[0]} (negative)`, `${answer.labels[1]} (positive)`];
  const shown = table(page, "Confusion");
  assert.deepEqual(await shown.locator("th").allTextContents(), ["true", yes, no]);
  const count = (positive, predicted) => String(answer.rows.filter((row) =>
    row.positive === positive && (row.margin > 0) === predicted).length);
  assert.deepEqual(await cells(shown), [[yes, count(true, true), count(true, false)],
                                        [no, count(false, true), count(false, false)]]);
}));

test("what decides is what explain says", () => look(pages.answer, {}, async (page) => {
  const chart = figure(page, "What features add, by magnitude");
  const bars = await boxes(part(chart, "bar")), [zero] = await boxes(part(chart, "zero"));
  const top = uses.features.slice(0, 15);
  assert.equal(bars.length, top.length);
  const longest = top.reduce((a, b) => (Math.abs(a.mean) > Math.abs(b.mean) ? a : b));
  const reach = (box) => Math.max(zero.x - box.left, box.right - zero.x);
  const unit = reach(bars[top.indexOf(longest)]) / Math.abs(longest.mean);
  top.forEach(({ mean }, i) => near(reach(bars[i]), unit * Math.abs(mean), 1.5));
  const rows = await cells(table(page, "Features by what they add"));
  assert.deepEqual(rows.map((row) => row[0]), uses.features.map(({ name }) => name));
  assert.deepEqual(rows.map((row) => row[3]), uses.features.map(({ decisive }) => String(decisive)));
}));

test("the chosen size is marked on both curves", () => look(pages.sizes, {}, async (page) => {
  const chosen = sizes.frontier.findIndex(({ features }) => features === sizes.chosen);
  for (const what of ["error", "loss"]) {
    const chart = figure(page, `Validation ${what} against the number of features`);
    const points = await boxes(dots(chart));
    assert.equal(points.length, sizes.frontier.length + 1);
    near(points.at(-1).x, points[chosen].x);
    near(points.at(-1).y, points[chosen].y);
    await chart.getByRole("combobox").selectOption("features used");
    assert.equal(await dots(chart).count(), sizes.frontier.length + 1);
    await chart.locator(".stage").focus();
    await page.keyboard.press("ArrowLeft");
    assert.match(await chart.locator(".tip").innerText(), /chosen\s+features used\s*48/);
  }
  assert.equal((await factsOf(section(page, /^Training/))).chosen, "50");
}));

test("options that the solver ignores are not shown", async () => {
  for (const name of ["answer", "sizes"]) {
    await look(pages[name], {}, async (page) => {
      const names = (await page.locator("dt").allTextContents()).map((text) => text.split(" ").at(-1));
      assert.ok(names.includes("ridge"), String(names));
      for (const unused of ["eta", "lambda", "schedule"]) assert.ok(!names.includes(unused), unused);
    });
  }
});

test("no number is longer than six digits", async () => {
  for (const address of Object.values(pages)) {
    await look(address, {}, async (page) => {
      for (const stage of await page.locator(".stage").all()) {
        await stage.focus();
        for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp"]) {
          await page.keyboard.press(key);
          const text = await page.locator("body").innerText();
          const long = text.match(/\d*\.\d{4,}/g)?.filter((n) => n.replace(/^[0.]+|\./g, "").length > 6);
          assert.deepEqual(long ?? [], []);
        }
      }
    });
  }
});

test("hostile names are text in every section", () =>
  look(pages.answer, { acceptDownloads: true }, async (page) => {
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.deepEqual(await page.evaluate(() =>
      [document.scripts.length, document.images.length, document.querySelectorAll("b b, b > script").length]),
                     [3, 0, 0]);
    const names = (await cells(table(page, "Weights"))).map((row) => row[1]);
    assert.deepEqual([...names].sort(), [...answer.columns].sort());
    const chart = figure(page, "Strongest features by class");
    assert.deepEqual(await part(chart, "bar heads").allTextContents(),
                     answer.labels.map((label) => `for ${label}`));
    for (const title of ["Strongest features by class", "What features add, by magnitude", "ROC"]) {
      const svg = (await downloaded(page, figure(page, title), "SVG")).bytes.toString();
      assert.deepEqual(await page.evaluate((text) => {
        const picture = new DOMParser().parseFromString(text, "image/svg+xml");
        return picture.querySelectorAll("parsererror, script, img, foreignObject").length;
      }, svg), 0);
    }
    assert.equal(await page.evaluate(() => window.hit), undefined);
  }));

test("every figure and table can be reached and read by keyboard", async () => {
  for (const address of Object.values(pages)) {
    await look(address, {}, async (page) => {
      const wanted = await page.locator(".stage, .scroll").count();
      const reached = new Set();
      await page.locator("nav a").first().focus();
      for (let i = 0; i < 600; ++i) {
        await page.keyboard.press("Tab");
        const label = await page.evaluate(() => {
          const { classList, ariaLabel } = document.activeElement;
          return classList.contains("stage") || classList.contains("scroll")
            ? `${classList} ${ariaLabel}` : document.activeElement === document.body ? "end" : "";
        });
        if (label === "end") break;
        if (label !== "") reached.add(label);
        if (label.startsWith("stage")) {
          await page.keyboard.press("ArrowRight");
          assert.ok(await page.locator(".tip:visible").count() === 1, label);
          await page.keyboard.press("Escape");
        }
      }
      assert.equal(reached.size, wanted, [...reached].join("; "));
    });
  }
});

test("bars of many classes stand below the names of their classes", () =>
  look(pages.classes, {}, async (page) => {
    const chart = figure(page, "Strongest features by class");
    // As with all figures, eight series are shown at first.
    assert.deepEqual(await part(chart, "bar heads").allTextContents(),
                     classes.slice(0, 8).map((label) => `for ${label}`));
    const heads = await boxes(part(chart, "bar heads")), bars = await boxes(part(chart, "bar"));
    assert.equal(bars.length, 5 * heads.length);
    heads.forEach((head, i) => {
      assert.ok(head.bottom <= bars[5 * i].top + 3, "above its bars");
      if (i > 0) assert.ok(head.top >= bars[5 * i - 1].bottom, "below the others");
    });
    const facts = await factsOf(section(page, "The answer"));
    assert.equal(facts.weights, "180 of 180 (100%)");
  }));

test("a phone shows everything without scrolling sideways or broken words", async () => {
  for (const address of Object.values(pages)) {
    await look(address, phone, async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
      for (const box of await boxes(page.locator(".stage svg, .facts dd, h3"))) {
        assert.ok(box.right <= 360 && box.left >= 0, JSON.stringify(box));
      }
      const broken = await page.locator("td.short").evaluateAll((all) =>
        all.filter((cell) => cell.firstChild && cell.firstChild.getClientRects().length > 1).length);
      assert.equal(broken, 0);
    });
  }
});

test("text can be read on light and on dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await look(pages.answer, { colorScheme }, async (page) => {
      const worst = await page.locator("h1, h2, h3, dt, dd, p, td, th button, label, summary, nav a, .stage text")
        .evaluateAll((all) => {
          const numbers = (text) => text.match(/[\d.]+/g).map(Number);
          const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
          const paper = (element) => {
            for (let e = element; e; e = e.parentElement) {
              const colour = numbers(getComputedStyle(e).backgroundColor);
              if (colour.length < 4 || colour[3] > 0) return light(colour);
            }
            return 1;
          };
          return Math.min(...all.map((element) => {
            const style = getComputedStyle(element);
            const ink = light(numbers(element.tagName === "text" ? style.fill : style.color));
            const [low, high] = [ink, paper(element)].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
          }));
        });
      assert.ok(worst >= 4.5, `${colorScheme}: ${worst}`);
    });
  }
});

test("the layout of the answer is the one that was approved", async () => {
  for (const [name, options] of Object.entries({
    "answer-wide": { viewport: { width: 1280, height: 1400 }, colorScheme: "light" },
    "answer-dark": { viewport: { width: 1280, height: 1400 }, colorScheme: "dark" },
    "answer-phone": { viewport: { width: 360, height: 1400 }, colorScheme: "light" },
  })) {
    await look(pages.answer, options, (page) => compareLayout(page, name));
  }
});
