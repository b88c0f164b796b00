// Reads a picture's values: the mark nearest to the pointer, or the one that arrow keys lead to.

import type { Drawing, Target } from "./chart.ts";
import { el, name } from "./dom.ts";
import { colour } from "./look.ts";

const kReach = 40; // pixels: further away nothing is meant

export class Reading {
  readonly tip = el("div", { class: "tip", role: "status", hidden: true });
  private readonly ring = el("div", { class: "ring", hidden: true });
  private drawing: Drawing | null = null;
  private at = -1;

  constructor(private readonly stage: HTMLElement, private readonly names: string[]) {
    stage.append(this.ring, this.tip);
  }

  show(drawing: Drawing): void {
    this.drawing = drawing;
    this.hide();
  }

  hide(): void {
    this.at = -1;
    this.tip.hidden = this.ring.hidden = true;
  }

  get target(): Target | null {
    return this.drawing?.targets[this.at] ?? null;
  }

  near(left: number, top: number): void {
    let best = kReach, found = -1;
    this.drawing?.targets.forEach((target, i) => {
      const distance = Math.hypot(target.left - left, target.top - top);
      if (distance < best) [best, found] = [distance, i];
    });
    if (found < 0) this.hide();
    else this.read(found);
  }

  // On to the next mark, or back; around the ends.
  step(along: 1 | -1): void {
    const count = this.drawing?.targets.length ?? 0;
    const from = this.at < 0 && along < 0 ? 0 : this.at;
    if (count > 0) this.read((from + along + count) % count);
  }

  // To the nearest mark of the next series.
  leap(along: 1 | -1): void {
    const here = this.target;
    if (!here) return this.step(along);
    const series = [...new Set(this.drawing?.targets.map((target) => target.series))];
    const next = series[(series.indexOf(here.series) + along + series.length) % series.length];
    let best = Infinity, found = this.at;
    this.drawing?.targets.forEach((target, i) => {
      const distance = Math.abs(target.left - here.left);
      if (target.series === next && distance < best) [best, found] = [distance, i];
    });
    this.read(found);
  }

  private read(place: number): void {
    const target = this.drawing?.targets[place];
    if (!target || place === this.at) return;
    this.at = place;
    const heading = el("div", { class: "tip-series" }, name(this.names[target.series] ?? ""));
    heading.style.borderColor = colour(target.series);
    this.tip.replaceChildren(heading, ...target.lines.map(([what, value]) =>
      el("div", {}, what === "" ? null : el("span", { class: "tip-what" }, name(what)),
         el("b", {}, name(value)))));
    this.tip.hidden = this.ring.hidden = false;
    this.ring.style.left = `${target.left}px`;
    this.ring.style.top = `${target.top}px`;
    const width = this.stage.clientWidth;
    const left = target.left + this.tip.offsetWidth + 18 < width
      ? target.left + 12 : Math.max(0, target.left - this.tip.offsetWidth - 12);
    this.tip.style.left = `${Math.min(left, Math.max(0, width - this.tip.offsetWidth))}px`;
    this.tip.style.top = `${Math.max(0, target.top - this.tip.offsetHeight - 10)}px`;
  }
}
