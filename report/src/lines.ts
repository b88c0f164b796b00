// Lines with points, points alone, or columns: y against x, for every series that is not hidden.

import { type Frame, axisX, axisY, emptyPicture, gridY, group, px } from "./axes.ts";
import type { Drawing, Target, View } from "./chart.ts";
import { type Figure, type Series, xOf } from "./data.ts";
import { freshId, svg } from "./dom.ts";
import { colour, outline } from "./look.ts";
import { type Range, exact, rangeOf, readable, widened } from "./numbers.ts";
import { type Scale, across, scaleOf, upright } from "./scale.ts";
import { widthOf } from "./text.ts";

interface Point {
  series: number;
  x: number;
  y: number;
  se: number | null;
}

interface Axes {
  x: Scale;
  y: Scale;
  logY: boolean;
}

const kLeft = 58, kRight = 16, kTop = 26, kBottom = 40; // pixels around the axes; more for long texts
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

const lineOf = (points: Point[], { x, y }: Axes): SVGElement => svg("path", {
  d: points.map((point, i) => `${i === 0 ? "M" : "L"}${px(x.at(point.x))},${px(y.at(point.y))}`).join(""),
});

// From one end to the other, with a short line across each.
function errorBar(point: Point, { x, y, logY }: Axes, cap: number): SVGElement {
  const [low, high] = ends(point, logY).map((end) => px(y.at(end))) as Range;
  const at = px(x.at(point.x));
  const across = (end: number): string => (cap > 0 ? `M${px(at - cap)},${end}h${2 * cap}` : "");
  return svg("path", { d: `M${at},${low}V${high}${across(low)}${across(high)}` });
}

// At least half a pixel wide, or a histogram of very many would be empty.
function columnOf(point: Point, half: number, { x, y }: Axes): SVGElement {
  const left = x.at(point.x - half) + 0.5, right = x.at(point.x + half) - 0.5, top = y.at(point.y);
  return svg("rect", {
    x: px(left), width: px(Math.max(0.5, right - left)), y: px(top), height: px(y.at(0) - top),
  });
}

// A line goes on to points beyond the axes; those are not drawn themselves.
function marksOf(
  points: Point[], inside: Point[], kind: Figure["kind"], half: number, axes: Axes, clip: string
): SVGElement[] {
  if (points.length === 0) return [];
  const series = (points[0] as Point).series, look = colour(series);
  const clipped = { "clip-path": `url(#${clip})` };
  if (kind === "columns") {
    return [group("column", { fill: look, "fill-opacity": 0.85, ...clipped },
                  inside.map((point) => columnOf(point, half, axes)))];
  }
  const many = inside.length > 200;
  const shape = outline(series, many ? 1.5 : 3.5);
  const spread = inside.filter((point) => point.se !== null);
  return [
    ...(kind === "points" ? [] : [group("line",
      { fill: "none", stroke: look, "stroke-width": 1.75, "stroke-linejoin": "round", ...clipped },
      [lineOf(points, axes)])]),
    group("error bar", { fill: "none", stroke: look, "stroke-opacity": 0.55 },
          spread.map((point) => errorBar(point, axes, many ? 0 : 3))),
    group("dot", { fill: look }, inside.map((point) => svg("path", {
      d: shape, transform: `translate(${px(axes.x.at(point.x))},${px(axes.y.at(point.y))})`,
    }))),
  ];
}

// The points to draw, and the ranges that hold them.
function select(figure: Figure, view: View) {
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
  return { logX, logY, shown, inside, half, rangeX, rangeY,
           lost: all.flat().length - drawable.flat().length,
           thin: drawable.flat().length - shown.flat().length };
}

function clipOf({ x, y }: Frame, id: string): SVGElement {
  const clip = svg("clipPath", { id });
  clip.append(svg("rect", { x: x[0], y: y[0], width: Math.max(0, x[1] - x[0]), height: y[1] - y[0] }));
  return clip;
}

export function drawLines(figure: Figure, view: View): Drawing {
  const { logX, logY, shown, inside, half, rangeX, rangeY, lost, thin } = select(figure, view);
  const { width } = view;
  const height = Math.round(Math.min(360, Math.max(250, width * 0.6)));
  const y = scaleOf(rangeY, [height - kBottom, kTop], logY, upright);
  const longest = Math.max(0, ...y.ticks.map(({ text }) => widthOf(text)));
  const left = Math.min(Math.max(kLeft, longest + 14), Math.round(width / 3));
  const frame: Frame = { width, height, x: [left, width - kRight], y: [kTop, height - kBottom] };
  const x = scaleOf(rangeX, frame.x, logX, across);
  const picture = emptyPicture(frame), clip = freshId();
  picture.append(clipOf(frame, clip), gridY(frame, y), ...axisX(frame, x, view.x),
    ...axisY(frame, y, figure.y),
    ...shown.flatMap((points, i) =>
      marksOf(points, inside[i] as Point[], figure.kind, half, { x, y, logY }, clip)));

  const target = (point: Point): Target => ({
    left: x.at(point.x), top: y.at(point.y), series: point.series,
    lines: [
      [view.x, readable(point.x)],
      [figure.y, readable(point.y) + (point.se === null ? "" : ` ± ${readable(point.se)}`)],
    ],
  });
  return {
    picture, targets: inside.flat().map(target),
    remark: [
      lost > 0 ? `${exact(lost)} points at or below 0 have no place on a logarithmic axis.` : "",
      thin > 0 ? `Every few points one is drawn; ${exact(thin)} are left out, but are in the CSV.` : "",
    ].filter(Boolean).join(" "),
    zoomable: { edges: frame.x, xAt: x.invert },
  };
}
