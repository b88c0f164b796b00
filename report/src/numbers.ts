// Numbers for people: short on axes, exact where a value is read.

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });

export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-3)) {
    return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  }
  return size >= 1e4 ? compact.format(value) : String(Number(value.toPrecision(3)));
}

// Every digit there is; thousands apart in whole numbers.
export function exact(value: number): string {
  return Number.isSafeInteger(value) ? grouped.format(value) : String(value);
}

export type Range = [number, number];

// Ticks of a logarithmic axis: powers of ten, and between them 2 and 5 where few of them fit.
export function logTicks([low, high]: Range): number[] {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const step = Math.ceil((last - first) / 8);
  const digits = last - first <= 3 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = first; power <= last; power += step) {
    for (const digit of digits) {
      const tick = Number(`${digit}e${power}`);
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

// From the smallest to the largest, with some room where they are the same.
export function rangeOf(values: Iterable<number>, log: boolean): Range {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return log ? [1, 10] : [0, 1];
  if (low < high) return [low, high];
  if (log) return [low / 2, high * 2];
  const room = Math.abs(low) / 10 || 1;
  return [low - room, high + room];
}

// Room at both ends, so that marks do not sit on the frame.
export function widened([low, high]: Range, log: boolean, share: number): Range {
  if (log) {
    const factor = (high / low) ** share;
    return [low / factor, high * factor];
  }
  return [low - share * (high - low), high + share * (high - low)];
}
