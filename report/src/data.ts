// What a page shows, as docs/formats.md has it. The program has checked it; nothing here does.

export type Cell = string | number | boolean | null;
export type Numbers = (number | null)[];

export interface Series {
  name: string;
  x?: Numbers | Record<string, Numbers>; // an object where the reader chooses what x is
  y: Numbers;
  se?: Numbers;
  labels?: string[];
}

export interface Figure {
  title: string;
  kind?: "lines" | "points" | "columns" | "bars";
  note?: string;
  x?: string | string[];
  y: string;
  log_x?: boolean;
  log_y?: boolean;
  series: Series[];
}

export interface Table {
  title: string;
  note?: string;
  columns: string[];
  rows: Cell[][];
}

export interface Section {
  title: string;
  kind: string;
  notes?: string[];
  facts?: [string, Cell][];
  figures?: Figure[];
  tables?: Table[];
}

export interface Report {
  title: string;
  thresh: Record<string, Cell>;
  files: { name: string; kind: string; bytes: number }[];
  sections: Section[];
}

export const xNames = (figure: Figure): string[] =>
  typeof figure.x === "string" ? [figure.x] : figure.x ?? [];

export function xOf(series: Series, name: string): Numbers {
  return Array.isArray(series.x) ? series.x : series.x?.[name] ?? [];
}
