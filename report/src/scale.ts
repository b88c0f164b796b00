// From values to pixels and back, linear or logarithmic, with ticks whose texts do not touch.

import { ticks } from "d3-array";
import { type Range, logTicks, ticksOf } from "./numbers.ts";
import { widthOf } from "./text.ts";

export interface Tick {
  at: number; // pixels
  text: string;
}

export interface Scale {
  at(value: number): number;
  invert(pixel: number): number;
  ticks: Tick[];
}

export interface Spacing {
  usual: number; // pixels from one tick to the next
  least(text: string): number; // pixels that the text of a tick needs along the axis
}

export const across: Spacing = { usual: 80, least: (text) => widthOf(text) + 10 };
export const upright: Spacing = { usual: 35, least: () => 20 };

// The densest ticks come first.
function* candidates(domain: Range, log: boolean, most: number): Generator<number[]> {
  if (log && logTicks(domain, 1, [1, 2, 5]).length > 2) {
    yield logTicks(domain, 1, [1, 2, 5]);
    for (let step = 1; logTicks(domain, step, [1]).length > 0; ++step) yield logTicks(domain, step, [1]);
  }
  // Less than a decade: ticks as on a linear axis tell more.
  for (let count = most; count > 0; --count) yield ticks(...domain, count);
}

function touching(marks: Tick[], spacing: Spacing): boolean {
  return marks.some((mark, i) => {
    const next = marks[i + 1];
    if (!next) return false;
    return Math.abs(next.at - mark.at) < (spacing.least(mark.text) + spacing.least(next.text)) / 2;
  });
}

function ticksFor(
  domain: Range, log: boolean, length: number, spacing: Spacing, at: Scale["at"]
): Tick[] {
  const most = Math.max(2, Math.round(length / spacing.usual));
  for (const values of candidates(domain, log, most)) {
    const [first = 0, last = 0] = [values[0], values.at(-1)];
    // Decades differ in their first digit, neighbours on a short axis in a later one.
    const text = ticksOf(log && last > 3 * first ? [0, last] : domain);
    const marks = values.map((value) => ({ at: at(value), text: text(value) }));
    if (!touching(marks, spacing)) return marks;
  }
  return [];
}

export function scaleOf(domain: Range, range: Range, log: boolean, spacing: Spacing): Scale {
  const [low, high] = log ? domain.map(Math.log) as Range : domain;
  const [from, to] = range;
  const at = (value: number): number =>
    from + (to - from) * (((log ? Math.log(value) : value) - low) / (high - low));
  const invert = (pixel: number): number => {
    const value = low + (high - low) * ((pixel - from) / (to - from));
    return log ? Math.exp(value) : value;
  };
  return { at, invert, ticks: ticksFor(domain, log, Math.abs(to - from), spacing, at) };
}
