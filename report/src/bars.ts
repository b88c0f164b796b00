// Bars with texts beside them, one group for each series that is not hidden.

import * as Plot from "@observablehq/plot";
import type { Drawing, View } from "./chart.ts";
import type { Figure } from "./data.ts";
import { visible } from "./dom.ts";
import { colour } from "./look.ts";
import { exact, rangeOf, ticksOf } from "./numbers.ts";

interface Bar {
  key: string; // texts may be the same, places are not
  series: number;
  label: string;
  value: number;
}

const kLine = 20; // pixels a bar

// By characters as they are seen, not by code units: half an emoji is no character.
function cut(text: string, most: number): string {
  const letters = [...new Intl.Segmenter().segment(text)].map((piece) => piece.segment);
  return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "…";
}

function barsOf(figure: Figure, hidden: Set<number>): Bar[] {
  return figure.series.flatMap((series, i) =>
    hidden.has(i) ? [] : series.y.flatMap((value, place) => value === null ? [] : [{
      key: `${i}:${place}`, series: i, label: visible(series.labels?.[place] ?? ""), value,
    }]));
}

export function drawBars(figure: Figure, view: View): Drawing {
  const bars = barsOf(figure, view.hidden);
  // A gap between groups is a place without a bar.
  const places = bars.flatMap((bar, i) =>
    i > 0 && bars[i - 1]?.series !== bar.series ? [`gap ${i}`, bar.key] : [bar.key]);
  const most = Math.max(8, Math.min(28, Math.floor(view.width / 24)));
  const texts = new Map(bars.map((bar) => [bar.key, cut(bar.label, most)]));
  const longest = Math.max(0, ...[...texts.values()].map((text) => text.length));
  const picture = Plot.plot({
    width: view.width, height: 60 + kLine * Math.max(1, places.length),
    marginLeft: 16 + 7.5 * Math.min(longest, most + 4),
    marginRight: 20, marginTop: 20, marginBottom: 40,
    x: { label: figure.y, labelAnchor: "center", labelArrow: "none", grid: true,
         tickFormat: ticksOf(rangeOf([0, ...bars.map((bar) => bar.value)], false)),
         ticks: view.width < 500 ? 3 : 6, nice: true },
    y: { domain: places, label: null, tickSize: 0, padding: 0.25,
         tickFormat: (key: string) => texts.get(key) ?? "" },
    marks: [
      Plot.barX(bars, { x: "value", y: "key", fill: (d: Bar) => colour(d.series) }),
      Plot.ruleX([0], { strokeOpacity: 0.5 }),
    ],
    color: { type: "identity" },
  }) as SVGSVGElement & Plot.Plot;
  const x = picture.scale("x") as Plot.Scale, y = picture.scale("y") as Plot.Scale;
  return {
    picture, remark: "",
    targets: bars.map((bar) => ({
      left: x.apply(bar.value) as number,
      top: (y.apply(bar.key) as number) + (y.bandwidth ?? 0) / 2,
      series: bar.series,
      lines: [["", bar.label], [figure.y, exact(bar.value)]],
    })),
  };
}
