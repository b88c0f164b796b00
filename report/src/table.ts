// A table that can be sorted and searched, and shows a page at a time: ten thousand rows are fine.

import type { Cell, Table } from "./data.ts";
import { el, name } from "./dom.ts";
import { csvFile, fileName, save } from "./download.ts";
import { exact, readable } from "./numbers.ts";

const kPage = 25;
const kShort = 24; // characters of a text that stays on one line

const shown = (cell: Cell): string =>
  cell === null ? "–" : typeof cell === "number" ? exact(cell)
  : typeof cell === "boolean" ? (cell ? "yes" : "no") : cell;

// Numbers before texts, nothing last.
function compare(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const rank = (cell: Cell): number => (typeof cell === "number" ? 0 : cell === null ? 2 : 1);
  return rank(a) - rank(b) || shown(a).localeCompare(shown(b), undefined, { numeric: true });
}

class TableView {
  private page = 0;
  private order = { column: -1, down: false };
  private wanted = "";
  private readonly body = el("tbody");
  private readonly place = el("span", { class: "place", role: "status" });
  private readonly heads: HTMLTableCellElement[];
  private readonly back: HTMLButtonElement;
  private readonly on: HTMLButtonElement;

  constructor(private readonly table: Table) {
    this.heads = table.columns.map((title, column) =>
      el("th", { scope: "col", class: this.isNumeric(column) ? "number" : "" },
         el("button", { type: "button", click: () => this.sort(column) }, name(title))));
    this.back = el("button", { type: "button", click: () => this.turn(-1) }, "Previous");
    this.on = el("button", { type: "button", click: () => this.turn(1) }, "Next");
  }

  element(): HTMLElement {
    const { title, rows, note } = this.table;
    const search = el("input", {
      type: "search", placeholder: "Find", "aria-label": `Find in ${title}`,
      input: () => { this.wanted = search.value.toLowerCase(); this.page = 0; this.fill(); },
    });
    const long = rows.length > kPage;
    const element = el("div", { class: "table" },
      el("div", { class: "figure-head" }, el("h3", {}, name(title)),
        el("div", { class: "tools" }, long ? search : null,
          el("button", { type: "button",
                         click: () => save(csvFile(this.table), fileName(title, "csv")) }, "CSV"))),
      note ? el("p", { class: "note" }, note) : null,
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
        el("table", {}, el("thead", {}, el("tr", {}, ...this.heads)), this.body)),
      long ? el("div", { class: "tools pages" }, this.back, this.on, this.place) : null);
    this.fill();
    return element;
  }

  private isNumeric(column: number): boolean {
    return this.table.rows.some((row) => typeof row[column] === "number");
  }

  private sort(column: number): void {
    this.order = { column, down: this.order.column === column && !this.order.down };
    this.page = 0;
    this.fill();
  }

  private turn(pages: number): void {
    this.page += pages;
    this.fill();
  }

  private found(): Cell[][] {
    const { column, down } = this.order;
    const rows = this.table.rows.filter((row) =>
      this.wanted === "" || row.some((cell) => shown(cell).toLowerCase().includes(this.wanted)));
    if (column < 0) return rows;
    return rows.sort((a, b) => (down ? -1 : 1) * compare(a[column] ?? null, b[column] ?? null));
  }

  private fill(): void {
    const rows = this.found(), first = kPage * this.page;
    const last = Math.min(rows.length, first + kPage);
    this.body.replaceChildren(...rows.slice(first, last).map((row) =>
      el("tr", {}, ...row.map((cell) =>
        typeof cell === "number"
          ? el("td", { class: "number", title: exact(cell) }, readable(cell))
          : el("td", { class: shown(cell).length <= kShort ? "short" : "" }, name(shown(cell)))))));
    this.heads.forEach((head, column) => head.setAttribute("aria-sort",
      column !== this.order.column ? "none" : this.order.down ? "descending" : "ascending"));
    this.place.textContent = rows.length === 0 ? "nothing found"
      : `${exact(first + 1)} to ${exact(last)} of ${exact(rows.length)}`;
    this.back.disabled = this.page === 0;
    this.on.disabled = last === rows.length;
  }
}

export const tableElement = (table: Table): HTMLElement => new TableView(table).element();
