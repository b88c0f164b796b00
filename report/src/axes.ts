// The parts that all pictures share: the empty picture, its axes, and groups of marks. A group has a
// name, which helps those who edit a saved picture.

import { svg } from "./dom.ts";
import type { Range } from "./numbers.ts";
import type { Scale } from "./scale.ts";
import { fitting } from "./text.ts";

// Where marks may be, in pixels, and how large the whole is.
export interface Frame {
  width: number;
  height: number;
  x: Range; // left, right
  y: Range; // top, bottom
}

export function emptyPicture({ width, height }: Frame): SVGSVGElement {
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` }) as SVGSVGElement;
}

export function group(
  name: string, attributes: Record<string, string | number>, marks: SVGElement[]
): SVGElement {
  const element = svg("g", { "aria-label": name, ...attributes });
  element.append(...marks);
  return element;
}

// No screen shows less than a hundredth of a pixel, and files get shorter.
export const px = (pixel: number): number => Math.round(100 * pixel) / 100;

export function gridX({ y }: Frame, scale: Scale): SVGElement {
  return group("x grid", {}, scale.ticks.map(({ at }) =>
    svg("line", { x1: px(at), x2: px(at), y1: y[0], y2: y[1] })));
}

export function gridY({ x }: Frame, scale: Scale): SVGElement {
  return group("y grid", {}, scale.ticks.map(({ at }) =>
    svg("line", { x1: x[0], x2: x[1], y1: px(at), y2: px(at) })));
}

export function axisX({ x, y, width, height }: Frame, scale: Scale, label: string): SVGElement[] {
  const [left, right] = x, bottom = y[1];
  const middle = (left + right) / 2;
  const text = fitting(label, 2 * Math.min(middle, width - middle));
  return [
    group("x axis", {}, [
      svg("line", { x1: left, x2: right, y1: bottom, y2: bottom }),
      ...scale.ticks.map(({ at }) =>
        svg("line", { x1: px(at), x2: px(at), y1: bottom, y2: bottom + 5 })),
    ]),
    group("x ticks", { "text-anchor": "middle" }, scale.ticks.map(({ at, text }) =>
      svg("text", { x: px(at), y: bottom + 17 }, text))),
    group("x label", { "text-anchor": "middle" }, [svg("text", { x: middle, y: height - 5 }, text)]),
  ];
}

export function axisY({ x, width }: Frame, scale: Scale, label: string): SVGElement[] {
  return [
    group("y ticks", { "text-anchor": "end" }, scale.ticks.map(({ at, text }) =>
      svg("text", { x: x[0] - 8, y: px(at), dy: "0.32em" }, text))),
    group("y label", {}, [svg("text", { x: 2, y: 11 }, fitting(label, width - 4))]),
  ];
}
