// How series are told apart: by a colour that colour-blind readers can tell as well (Okabe and Ito
// 2008), and by the shape of their points. The colours themselves are in style.css, light and dark.

import { svg } from "./dom.ts";

const kColours = 7;

type Corner = [number, number];

const polygon = (corners: number, turn: number, radius: number): Corner[] =>
  Array.from({ length: corners }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / corners;
    return [radius * Math.sin(angle), -radius * Math.cos(angle)];
  });

// A circle, a square, two triangles and a diamond, of about the same area.
const kShapes: Corner[][] = [
  polygon(24, 0, 1), polygon(4, Math.PI / 4, 1.25), polygon(3, 0, 1.45), polygon(4, 0, 1.35),
  polygon(3, Math.PI, 1.45),
];

export const colour = (series: number): string => `var(--series-${series % kColours})`;

const shape = (series: number): Corner[] => kShapes[series % kShapes.length] as Corner[];

// The outline of a point, around 0,0; a radius is that of a circle of about the same area.
export function outline(series: number, radius: number): string {
  const corners = shape(series).map((corner) => corner.map((at) => +(radius * at).toFixed(2)).join());
  return `M${corners.join("L")}Z`;
}

// A small sample of a series, for its toggle and for the legend of a picture.
export function sample(series: number): SVGElement {
  const frame = svg("svg", { width: 22, height: 14, viewBox: "-11 -7 22 14", "aria-hidden": "true" });
  frame.append(
    svg("path", { d: "M-11,0H11", stroke: colour(series), "stroke-width": 2 }),
    svg("path", { d: outline(series, 4), fill: colour(series) }));
  return frame;
}
