// Pictures and values as files. A picture that leaves the page takes with it what the page gave it:
// colours, fonts, the title and the names of the series.

import { type Cell, type Figure, xNames, xOf } from "./data.ts";
import { el, svg } from "./dom.ts";
import { sample } from "./look.ts";

export function save(content: Blob, file: string): void {
  const address = URL.createObjectURL(content);
  const link = el("a", { href: address, download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export function fileName(title: string, ending: string): string {
  const plain = title.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${plain.slice(0, 60).toLowerCase() || "thresh"}.${ending}`;
}

const kStyles = ["fill", "stroke", "stroke-width", "stroke-opacity", "fill-opacity", "opacity",
                 "font-family", "font-size", "font-weight", "font-variant", "text-anchor", "color"];

// Writes what style sheets say of an element that is in the page into its copy.
function settle(original: Element, copy: Element): void {
  const style = getComputedStyle(original);
  for (const property of kStyles) copy.setAttribute(property, style.getPropertyValue(property));
  copy.removeAttribute("style");
  copy.removeAttribute("class");
  [...original.children].forEach((child, i) => settle(child, copy.children[i] as Element));
  for (const child of [...copy.children]) if (child.tagName === "style") child.remove();
}

// The picture with its title above and the names of what it shows below, drawn in the page for a
// moment so that its styles are known.
export function standalone(figure: Figure, picture: SVGSVGElement, hidden: Set<number>): SVGSVGElement {
  const width = Number(picture.getAttribute("width")), height = Number(picture.getAttribute("height"));
  const shown = figure.series.map((_, i) => i).filter((i) => !hidden.has(i));
  const total = 34 + height + 20 * shown.length + 8;
  const viewBox = `0 0 ${width} ${total}`;
  const outer = svg("svg", { width, height: total, viewBox, class: "picture" }) as SVGSVGElement;
  outer.append(svg("rect", { width, height: total, class: "paper" }),
               svg("text", { x: 12, y: 22, class: "picture-title" }, figure.title));
  const inner = picture.cloneNode(true) as SVGSVGElement;
  inner.setAttribute("y", "34");
  outer.append(inner);
  shown.forEach((series, place) => {
    const top = 34 + height + 20 * place;
    const mark = sample(series);
    mark.setAttribute("x", "12");
    mark.setAttribute("y", String(top));
    outer.append(mark, svg("text", { x: 42, y: top + 11 }, figure.series[series]?.name ?? ""));
  });
  const stage = el("div", { class: "offstage" }, outer);
  document.body.append(stage);
  const copy = outer.cloneNode(true) as SVGSVGElement;
  settle(outer, copy);
  stage.remove();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return copy;
}

export const svgFile = (picture: SVGSVGElement): Blob =>
  new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });

// At twice the size, for screens and papers that are finer than a CSS pixel.
export async function pngFile(picture: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  const address = URL.createObjectURL(svgFile(picture));
  image.src = address;
  await image.decode();
  URL.revokeObjectURL(address);
  const canvas = el("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}

function csv(columns: string[], rows: Cell[][]): string {
  const cell = (value: Cell): string => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

interface Values {
  columns: string[];
  rows: Cell[][];
}

export const csvFile = ({ columns, rows }: Values): Blob =>
  new Blob(["\ufeff", csv(columns, rows)], { type: "text/csv" }); // the mark tells Excel of UTF-8

// All values of a figure, hidden series too.
export function valuesOf(figure: Figure): Values {
  const names = xNames(figure);
  const labelled = figure.kind === "bars", spread = figure.series.some((series) => series.se);
  return {
    columns: ["series", ...(labelled ? ["label"] : names), figure.y,
              ...(spread ? ["standard error"] : [])],
    rows: figure.series.flatMap((series) => series.y.map((y, i): Cell[] => [
      series.name,
      ...(labelled ? [series.labels?.[i] ?? ""] : names.map((name) => xOf(series, name)[i] ?? null)),
      y,
      ...(spread ? [series.se?.[i] ?? null] : []),
    ])),
  };
}
