// The page: reads the data that the program put into it and shows them, section by section.

import type { Cell, Report, Section } from "./data.ts";
import { el, freshId, name } from "./dom.ts";
import { figureElement } from "./figure.ts";
import { exact, readable } from "./numbers.ts";
import { tableElement } from "./table.ts";

function factList(facts: [string, Cell][]): HTMLElement {
  const value = (cell: Cell): HTMLElement => typeof cell === "number"
    ? el("dd", { title: exact(cell) }, readable(cell)) : el("dd", {}, name(String(cell ?? "–")));
  return el("dl", { class: "facts" }, ...facts.map(([what, cell]) =>
    el("div", {}, el("dt", {}, name(what)), value(cell))));
}

function sectionElement(section: Section, id: string): HTMLElement {
  const figures = section.figures ?? [];
  return el("section", { id, class: section.kind === "answer" ? "answer" : "",
                         "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, name(section.title)),
    ...(section.notes ?? []).map((note) => el("p", { class: "lead" }, note)),
    section.facts?.length ? factList(section.facts) : null,
    figures.length > 0 ? el("div", { class: "figures" }, ...figures.map(figureElement)) : null,
    ...(section.tables ?? []).map(tableElement));
}

// What it takes to make the page again.
function originElement(report: Report): HTMLElement {
  return el("footer", {}, el("h2", {}, "Made from"),
    tableElement({
      title: "Files", columns: ["file", "what it is", "bytes"],
      rows: report.files.map((file) => [file.name, file.kind, file.bytes]),
    }),
    factList(Object.entries(report.thresh).map(([what, value]) => [`thresh ${what}`, value])));
}

function show(report: Report): void {
  document.title = report.title;
  const ids = report.sections.map(() => freshId());
  document.body.append(
    el("header", {}, el("h1", {}, name(report.title)),
      el("nav", { "aria-label": "Sections" }, ...report.sections.map((section, i) =>
        el("a", { href: `#${ids[i]}` }, name(section.title))))),
    el("main", {}, ...report.sections.map((section, i) => sectionElement(section, ids[i] as string))),
    originElement(report));
}

show(JSON.parse(document.getElementById("data")?.textContent ?? "") as Report);
