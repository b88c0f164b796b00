// What pictures consist of: ticks, lines, error bars, columns and bars, each at the place that its
// value asks for. Run by test/run.sh.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { boxes, dots, downloaded, figure, look, part, start, stop } from "./browser.mjs";
import { clean, figures, figuresPage } from "./fixtures.mjs";

let address;
before(async () => {
  address = figuresPage();
  await start();
});
after(async () => {
  await stop();
  clean();
});

const phone = { viewport: { width: 360, height: 700 } };
const near = (is, wanted, pixels = 1) =>
  assert.ok(Math.abs(is - wanted) <= pixels, `${is} is not about ${wanted}`);

test("ticks of logarithmic axes are powers of ten in their places", async () => {
  for (const options of [{}, phone]) {
    await look(address, options, async (page) => {
      const chart = figure(page, "Decades");
      const texts = await part(chart, "x ticks").allTextContents();
      const powers = texts.map((text) => Math.log10(Number(text.replace("M", "e6").replace("K", "e3"))));
      assert.ok(texts.length >= 4 && powers.every(Number.isInteger), String(texts));
      const [first, , last] = (await boxes(dots(chart))).map((box) => box.x);
      (await boxes(part(chart, "x ticks"))).forEach((box, i) =>
        near(box.x, first + (last - first) * ((powers[i] + 6) / 12)));
    });
  }
});

test("texts of ticks neither touch nor repeat", async () => {
  for (const options of [{}, phone]) {
    await look(address, options, async (page) => {
      for (const { title, kind } of Object.values(figures)) {
        for (const axis of kind === "bars" ? ["x"] : ["x", "y"]) {
          const ticks = part(figure(page, title), `${axis} ticks`);
          const texts = await ticks.allTextContents();
          assert.ok(texts.length >= 2 && new Set(texts).size === texts.length, `${title} ${axis}: ${texts}`);
          const places = await boxes(ticks);
          places.slice(1).forEach((box, i) => assert.ok(
            axis === "x" ? box.left > places[i].right : box.bottom < places[i].top, `${title}: ${texts}`));
        }
      }
    });
  }
});

test("error bars span one standard error on both sides", () => look(address, {}, async (page) => {
  const chart = figure(page, "Errors");
  const pixel = async () => {
    const [one, , four] = (await boxes(dots(chart))).map((box) => box.y);
    return (value) => one + ((value - 1) / 3) * (four - one);
  };
  const linear = await pixel();
  const [{ x, y, se }] = figures.errors.series;
  const known = x.map((_, i) => i).filter((i) => se[i] !== null);
  const bars = await boxes(part(chart, "error bar"));
  assert.equal(bars.length, known.length);
  known.forEach((i, place) => {
    near(bars[place].top, linear(y[i] + se[i]));
    near(bars[place].bottom, linear(y[i] - se[i]));
  });
  // Down to -4 there is no logarithm: that bar begins at its point.
  await chart.getByLabel("log y").check();
  const points = await boxes(dots(chart));
  near((await boxes(part(chart, "error bar")))[1].bottom, points[2].y);
}));

test("a missing value has no point, and the line goes on", () => look(address, {}, async (page) => {
  const chart = figure(page, "Missing");
  assert.equal(await dots(chart).count(), 3);
  const path = await part(chart, "line").getAttribute("d");
  assert.equal(path.match(/[ML]/g).join(""), "MLL");
}));

test("a zoomed line ends at the axes, in files too",
     () => look(address, { acceptDownloads: true }, async (page) => {
  const chart = figure(page, "Missing");
  await chart.locator(".stage").focus();
  for (const key of ["ArrowRight", "ArrowRight", "+", "+"]) await page.keyboard.press(key);
  assert.equal(await dots(chart).count(), 1);
  const holds = (root) => {
    const name = root.querySelector('[aria-label="line"]').getAttribute("clip-path").slice(5, -1);
    const { x, width } = root.querySelector(`clipPath[id="${name}"] rect`).attributes;
    const axis = root.querySelector('[aria-label="x axis"] line').attributes;
    return [x.value - axis.x1.value, Number(x.value) + Number(width.value) - axis.x2.value];
  };
  assert.deepEqual(await chart.locator(".stage svg").evaluate(holds), [0, 0]);
  const svg = (await downloaded(page, chart, "SVG")).bytes.toString();
  assert.deepEqual(await page.evaluate(([text, check]) => (0, eval)(`(${check})`)(
    new DOMParser().parseFromString(text, "image/svg+xml")), [svg, String(holds)]), [0, 0]);
}));

test("columns stand on 0 and are as high as their values", () => look(address, {}, async (page) => {
  const chart = figure(page, "Columns");
  const columns = await boxes(part(chart, "column"));
  assert.equal(columns.length, 3);
  const heights = columns.map((box) => box.bottom - box.top);
  near(heights[0], heights[1] / 4);
  near(heights[2], heights[1] / 2);
  for (const box of columns) near(box.bottom, columns[0].bottom, 0.1);
  near(columns[2].x - columns[1].x, 2 * (columns[1].x - columns[0].x));
}));

test("bars go both ways from 0, beside their texts", () => look(address, {}, async (page) => {
  const chart = figure(page, "Bars");
  const bars = await boxes(part(chart, "bar")), [zero] = await boxes(part(chart, "zero"));
  const unit = (bars[0].right - zero.x) / 4;
  [[0, 4], [0, 2], [-1, 0]].forEach(([from, to], i) => {
    near(bars[i].left, zero.x + unit * from);
    near(bars[i].right, zero.x + unit * to);
  });
  assert.deepEqual(await part(chart, "bar labels").allTextContents(), ["up", "up too", "down"]);
  (await boxes(part(chart, "bar labels"))).forEach((box, i) => near(box.y, bars[i].y, 2));
  assert.ok(bars[2].top - bars[1].bottom > bars[1].top - bars[0].bottom, "series are apart");
}));

test("long names of axes stay in the picture", async () => {
  for (const options of [{}, phone]) {
    await look(address, options, async (page) => {
      const chart = figure(page, "Words");
      const [stage] = await boxes(chart.locator(".stage"));
      for (const axis of ["x label", "y label"]) {
        const [box] = await boxes(part(chart, axis));
        assert.ok(box.left >= stage.left && box.right <= stage.right, axis);
      }
    });
  }
});
