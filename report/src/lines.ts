// Lines with points, points alone, or columns: y against x, for every series that is not hidden.

import * as Plot from "@observablehq/plot";
import type { Drawing, Target, View } from "./chart.ts";
import { type Figure, type Series, xOf } from "./data.ts";
import { colour, symbol } from "./look.ts";
import { type Range, exact, logTicks, rangeOf, ticksOf, widened } from "./numbers.ts";

interface Point {
  series: number;
  x: number;
  y: number;
  se: number | null;
}

// Beside the axes.
export const kLeft = 58, kRight = 16;

const kMostPoints = 2000; // of a series; a picture cannot show more, and a browser gets slow

function pointsOf(series: Series, number: number, view: View): Point[] {
  const points: Point[] = [];
  xOf(series, view.x).forEach((x, i) => {
    const y = series.y[i] ?? null;
    if (x !== null && y !== null) points.push({ series: number, x, y, se: series.se?.[i] ?? null });
  });
  return points;
}

function thinned(points: Point[]): Point[] {
  const step = Math.ceil(points.length / kMostPoints);
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}

const ends = (point: Point, log: boolean): Range => {
  const low = point.y - (point.se ?? 0), high = point.y + (point.se ?? 0);
  return [log && low <= 0 ? point.y : low, high];
};

// Half the smallest distance between two columns.
function halfStep(points: Point[]): number {
  const places = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const steps = places.slice(1).map((x, i) => x - (places[i] as number));
  return steps.length > 0 ? Math.min(...steps) / 2 : 0.5;
}

// A line goes on to points beyond the axes; those are not drawn themselves.
function marksOf(
  points: Point[], inside: Point[], kind: Figure["kind"], half: number, log: boolean
): Plot.Markish[] {
  const series = points[0]?.series ?? 0;
  const look = colour(series);
  if (kind === "columns") {
    const sides = { x1: (d: Point) => d.x - half, x2: (d: Point) => d.x + half };
    return [Plot.rect(inside, { ...sides, y1: 0, y2: "y", fill: look, fillOpacity: 0.85, inset: 0.5 })];
  }
  const line = Plot.line(points, { x: "x", y: "y", stroke: look, strokeWidth: 1.75, clip: true });
  return [
    ...(kind === "points" ? [] : [line]),
    Plot.ruleX(inside.filter((point) => point.se !== null), {
      x: "x", y1: (d: Point) => ends(d, log)[0], y2: (d: Point) => ends(d, log)[1],
      stroke: look, strokeOpacity: 0.55,
    }),
    Plot.dot(inside, {
      x: "x", y: "y", fill: look, r: inside.length > 200 ? 1.5 : 3.5,
      symbol: symbol(series) as Plot.SymbolType,
    }),
  ];
}

function axis(range: Range, log: boolean): Plot.ScaleOptions {
  return {
    type: log ? "log" : "linear", domain: range, labelArrow: "none",
    tickFormat: ticksOf(log ? [0, range[1]] : range),
    ...(log && logTicks(range).length > 1 ? { ticks: logTicks(range) } : {}),
  };
}

export function drawLines(figure: Figure, view: View): Drawing {
  const columns = figure.kind === "columns";
  const logX = view.logX && !columns, logY = view.logY && !columns;
  const all = figure.series.map((series, i) => (view.hidden.has(i) ? [] : pointsOf(series, i, view)));
  const drawable = all.map((points) =>
    points.filter(({ x, y }) => (!logX || x > 0) && (!logY || y > 0)));
  const shown = drawable.map(thinned);
  const half = columns ? halfStep(shown.flat()) : 0;
  const rangeX = view.zoom ?? widened(
    rangeOf(shown.flat().flatMap(({ x }) => [x - half, x + half]), logX), logX, columns ? 0 : 0.02);
  const inside = shown.map((points) =>
    points.filter(({ x }) => x >= rangeX[0] && x <= rangeX[1]));
  const values = inside.flat().flatMap((point) => ends(point, logY));
  const rangeY = widened(rangeOf(columns ? [0, ...values] : values, logY), logY, 0.04);
  if (columns) rangeY[0] = 0;

  const picture = Plot.plot({
    width: view.width, height: Math.round(Math.min(360, Math.max(250, view.width * 0.6))),
    marginLeft: kLeft, marginRight: kRight, marginTop: 26, marginBottom: 40,
    x: { ...axis(rangeX, logX), label: view.x, labelAnchor: "center" },
    y: { ...axis(rangeY, logY), label: figure.y, grid: true },
    marks: shown.flatMap((points, i) =>
      marksOf(points, inside[i] as Point[], figure.kind, half, logY)),
  }) as SVGSVGElement & Plot.Plot;

  const x = picture.scale("x") as Plot.Scale, y = picture.scale("y") as Plot.Scale;
  const target = (point: Point): Target => ({
    left: x.apply(point.x) as number, top: y.apply(point.y) as number, series: point.series,
    lines: [
      [view.x, exact(point.x)],
      [figure.y, point.se === null ? exact(point.y) : `${exact(point.y)} ± ${exact(point.se)}`],
    ],
  });
  const lost = all.flat().length - drawable.flat().length;
  const thin = drawable.flat().length - shown.flat().length;
  return {
    picture, targets: inside.flat().map(target),
    remark: [
      lost > 0 ? `${exact(lost)} points at or below 0 have no place on a logarithmic axis.` : "",
      thin > 0 ? `Every few points one is drawn; ${exact(thin)} are left out, but are in the CSV.` : "",
    ].filter(Boolean).join(" "),
    xAt: (left) => Number(x.invert?.(left)),
  };
}
