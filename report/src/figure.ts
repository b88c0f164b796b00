// The frame around a picture: what it shows, toggles, axes, zoom, reading, files.

import { drawBars } from "./bars.ts";
import type { Drawing, View } from "./chart.ts";
import { type Figure, xNames } from "./data.ts";
import { el, freshId, name } from "./dom.ts";
import { csvFile, fileName, pngFile, save, standalone, svgFile, valuesOf } from "./download.ts";
import { drawLines } from "./lines.ts";
import { sample } from "./look.ts";
import { Reading } from "./reading.ts";
import { tableElement } from "./table.ts";

const kShownAtFirst = 8; // series; more are a click away
const kKeys = "Arrow keys read the values, + and - zoom, 0 shows all again.";

class FigureView {
  private readonly view: View;
  private readonly stage: HTMLElement;
  private readonly remark = el("p", { class: "note" });
  private readonly band = el("div", { class: "band", hidden: true });
  private readonly all: HTMLButtonElement;
  private readonly reading: Reading;
  private drawing: Drawing | null = null;
  private dragFrom: number | null = null;

  constructor(private readonly figure: Figure) {
    const hint = freshId();
    const hidden = figure.series.map((_, i) => i).filter((i) => i >= kShownAtFirst);
    this.view = {
      width: 0, hidden: new Set(hidden), x: xNames(figure)[0] ?? "",
      logX: figure.log_x ?? false, logY: figure.log_y ?? false, zoom: null,
    };
    this.stage = el("div", {
      class: "stage", tabindex: 0, role: "application", "aria-roledescription": "chart",
      "aria-label": figure.title, "aria-describedby": hint,
      pointermove: (event: PointerEvent) => this.move(event),
      pointerleave: (event: PointerEvent) => this.leave(event),
      pointerdown: (event: PointerEvent) => this.press(event),
      pointerup: (event: PointerEvent) => this.release(event),
      pointercancel: () => this.endDrag(),
      dblclick: () => this.zoomTo(null), keydown: (event: KeyboardEvent) => this.key(event),
      blur: () => this.reading.hide(),
    }, this.band, el("span", { id: hint, class: "unseen" }, kKeys));
    this.reading = new Reading(this.stage, figure.series.map((series) => series.name));
    this.all = el("button", { type: "button", hidden: true, click: () => this.zoomTo(null) },
      "Show all");
    new ResizeObserver(() => this.fit()).observe(this.stage);
  }

  element(): HTMLElement {
    const { figure } = this;
    const bars = figure.kind === "bars", lines = !bars && figure.kind !== "columns";
    return el("figure", { class: bars ? "figure wide" : "figure" },
      el("div", { class: "figure-head" }, el("h3", {}, name(figure.title)), this.files()),
      figure.note ? el("p", { class: "note" }, figure.note) : null,
      el("div", { class: "tools" }, this.chooser(),
        ...(lines ? [this.tick("log x", "logX"), this.tick("log y", "logY")] : []),
        bars ? null : this.all),
      this.stage, this.legend(), this.remark, this.values());
  }

  private draw(): void {
    if (this.view.width === 0) return;
    const { figure, view } = this;
    this.drawing?.picture.remove();
    this.drawing = figure.kind === "bars" ? drawBars(figure, view) : drawLines(figure, view);
    this.drawing.picture.setAttribute("aria-hidden", "true"); // the values are read instead
    this.stage.prepend(this.drawing.picture);
    this.reading.show(this.drawing);
    this.remark.textContent = this.drawing.remark;
    this.all.hidden = view.zoom === null;
  }

  private fit(): void {
    const width = Math.floor(this.stage.clientWidth);
    if (width === this.view.width) return;
    this.view.width = width;
    this.draw();
  }

  private tick(label: string, axis: "logX" | "logY"): HTMLElement {
    const box = el("input", { type: "checkbox", change: () => {
      this.view[axis] = box.checked;
      this.zoomTo(null); // what was zoomed to may have no place on the other kind of axis
    } });
    box.checked = this.view[axis];
    return el("label", {}, box, label);
  }

  // Which x, where there is a choice.
  private chooser(): HTMLElement | null {
    const names = xNames(this.figure);
    if (names.length < 2) return null;
    const select = el("select", { change: () => {
      this.view.x = select.value;
      this.zoomTo(null);
    } }, ...names.map((what) => el("option", { value: what }, what)));
    return el("label", {}, "against ", select);
  }

  private legend(): HTMLElement {
    return el("div", { class: "legend", role: "group", "aria-label": "Series" },
      ...this.figure.series.map((series, i) => {
        const box = el("input", { type: "checkbox", change: () => {
          this.view.hidden[box.checked ? "delete" : "add"](i);
          this.draw();
        } });
        box.checked = !this.view.hidden.has(i);
        return el("label", {}, box, sample(i), name(series.name));
      }));
  }

  private files(): HTMLElement {
    const { figure } = this;
    const button = (label: string, make: () => Blob | Promise<Blob>): HTMLElement =>
      el("button", { type: "button", title: `Download as ${label}`, click: () => {
        const file = fileName(figure.title, label.toLowerCase());
        void Promise.resolve(make()).then((blob) => save(blob, file));
      } }, label);
    const picture = (): SVGSVGElement =>
      standalone(figure, (this.drawing as Drawing).picture, this.view.hidden);
    return el("div", { class: "tools" }, button("SVG", () => svgFile(picture())),
      button("PNG", () => pngFile(picture())),
      button("CSV", () => csvFile(valuesOf(figure))));
  }

  // The same as a table, for those who would rather read; made when it is asked for.
  private values(): HTMLElement {
    const details = el("details", { toggle: () => {
      if (!details.open || details.children.length > 1) return;
      details.append(tableElement({ title: `${this.figure.title}: values`, ...valuesOf(this.figure) }));
    } }, el("summary", {}, "Values"));
    return details;
  }

  private zoomTo(zoom: [number, number] | null): void {
    this.view.zoom = zoom;
    this.draw();
  }

  private at(event: PointerEvent): [number, number] {
    const box = this.stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private press(event: PointerEvent): void {
    const [left, top] = this.at(event);
    this.reading.near(left, top); // a finger does not hover
    if (event.button !== 0 || !this.drawing?.zoomable) return;
    this.dragFrom = left;
    this.stage.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const [left, top] = this.at(event);
    const far = this.dragFrom !== null && Math.abs(left - this.dragFrom) > 6;
    this.band.hidden = !far;
    if (!far) return this.reading.near(left, top);
    this.reading.hide();
    this.band.style.left = `${Math.min(left, this.dragFrom as number)}px`;
    this.band.style.width = `${Math.abs(left - (this.dragFrom as number))}px`;
  }

  private release(event: PointerEvent): void {
    const zoomable = this.drawing?.zoomable;
    if (zoomable && this.dragFrom !== null && !this.band.hidden) {
      const [low, high] = [this.dragFrom, this.at(event)[0]].map(zoomable.xAt).sort((a, b) => a - b);
      this.zoomTo([low as number, high as number]);
    }
    this.endDrag();
  }

  private endDrag(): void {
    this.dragFrom = null;
    this.band.hidden = true;
  }

  // A finger leaves when it is lifted, and what it pointed at is still to be read.
  private leave(event: PointerEvent): void {
    if (this.dragFrom === null && event.pointerType !== "touch") this.reading.hide();
  }

  // Around what is being read, or the middle; half the width, or twice.
  private zoomBy(factor: number): void {
    const zoomable = this.drawing?.zoomable;
    if (!zoomable) return;
    const [left, right] = zoomable.edges;
    const middle = this.reading.target?.left ?? (left + right) / 2;
    const edge = (from: number): number => zoomable.xAt(middle + (from - middle) * factor);
    const [low, high] = [edge(left), edge(right)];
    if (Number.isFinite(low) && Number.isFinite(high)) this.zoomTo([low, high]);
  }

  private key(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      ArrowRight: () => this.reading.step(1), ArrowLeft: () => this.reading.step(-1),
      ArrowDown: () => this.reading[this.figure.kind === "bars" ? "step" : "leap"](1),
      ArrowUp: () => this.reading[this.figure.kind === "bars" ? "step" : "leap"](-1),
      "+": () => this.zoomBy(0.5), "=": () => this.zoomBy(0.5), "-": () => this.zoomBy(2),
      "0": () => this.zoomTo(null), Escape: () => this.reading.hide(),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}

export const figureElement = (figure: Figure): HTMLElement => new FigureView(figure).element();
