// What is used of d3-array: its ticks and rounded ranges.
declare module "d3-array" {
  export function ticks(start: number, stop: number, count: number): number[];
  export function nice(start: number, stop: number, count: number): [number, number];
}
