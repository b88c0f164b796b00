// Bars with texts beside them, one group for each series that is not hidden, below its name: there
// may be more series than colours.

import { nice } from "d3-array";
import { type Frame, axisX, emptyPicture, gridX, group, px } from "./axes.ts";
import type { Drawing, View } from "./chart.ts";
import type { Figure } from "./data.ts";
import { svg, visible } from "./dom.ts";
import { colour } from "./look.ts";
import { rangeOf, readable } from "./numbers.ts";
import { across, scaleOf } from "./scale.ts";
import { fitting, widthOf } from "./text.ts";

interface Bar {
  series: number;
  label: string;
  value: number;
  top: number; // pixels
}

const kLine = 20, kThick = 15; // pixels from bar to bar, and of a bar
const kTop = 20, kBottom = 40, kRight = 20;

interface Head {
  text: string;
  top: number;
}

// Between the bars of two series there is room for half a bar.
function barsOf(figure: Figure, hidden: Set<number>): { bars: Bar[]; heads: Head[] } {
  let top = kTop + (kLine - kThick) / 2;
  const bars: Bar[] = [], heads: Head[] = [];
  figure.series.forEach((series, i) => {
    if (hidden.has(i) || series.y.every((value) => value === null)) return;
    if (bars.length > 0) top += kLine / 2;
    if (figure.series.length > 1) {
      heads.push({ text: visible(series.name), top });
      top += kLine;
    }
    series.y.forEach((value, place) => {
      if (value === null) return;
      bars.push({ series: i, label: visible(series.labels?.[place] ?? ""), value, top });
      top += kLine;
    });
  });
  return { bars, heads };
}

export function drawBars(figure: Figure, view: View): Drawing {
  const { bars, heads } = barsOf(figure, view.hidden);
  const texts = bars.map((bar) => fitting(bar.label, Math.min(210, view.width / 3)));
  const left = Math.ceil(10 + Math.max(0, ...texts.map(widthOf)));
  const bottom = (bars.at(-1)?.top ?? kTop) + kLine;
  const frame: Frame = {
    width: view.width, height: bottom + kBottom, x: [left, view.width - kRight], y: [kTop, bottom],
  };
  const range = nice(...rangeOf([0, ...bars.map((bar) => bar.value)], false), 6);
  const x = scaleOf(range, frame.x, false, across);
  const zero = x.at(0);
  const picture = emptyPicture(frame);
  picture.append(gridX(frame, x), ...axisX(frame, x, figure.y),
    group("bar", {}, bars.map((bar) => svg("rect", {
      x: px(Math.min(zero, x.at(bar.value))), width: px(Math.abs(x.at(bar.value) - zero)),
      y: bar.top, height: kThick, fill: colour(bar.series),
    }))),
    group("zero", {}, [svg("line", { x1: px(zero), x2: px(zero), y1: kTop, y2: bottom })]),
    group("bar labels", { "text-anchor": "end" }, bars.map((bar, i) => svg("text",
      { x: left - 8, y: bar.top + kThick / 2, dy: "0.32em" }, texts[i]))),
    group("bar heads", {}, heads.map(({ text, top }) => svg("text",
      { x: 2, y: top + kThick / 2, dy: "0.32em" }, fitting(text, view.width - 4)))));
  return {
    picture, remark: "",
    targets: bars.map((bar) => ({
      left: x.at(bar.value), top: bar.top + kThick / 2, series: bar.series,
      lines: [["", bar.label], [figure.y, readable(bar.value)]],
    })),
  };
}
