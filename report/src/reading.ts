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

  // The next mark of the same series, or the nearest one of the next series.
  step(along: number): void {
    const targets = this.drawing?.targets ?? [];
    if (targets.length > 0) this.read((Math.max(this.at, along > 0 ? -1 : 0) + along + targets.length) % targets.length);
  }

  leap(): void {
    const here = this.target;
    if (!here) return this.step(1);
    const series = [...new Set(this.drawing?.targets.map((target) => target.series))];
    const next = series[(series.indexOf(here.series) + 1) % series.length];
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
