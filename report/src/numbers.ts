// Numbers for people: short on axes, exact where a value is read.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });

// To so many digits: in powers of ten where small or huge, in thousands and millions where large.
function rounded(value: number, digits: number): string {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-3)) {
    return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  }
  if (size < 1e4) return String(Number(value.toPrecision(digits)));
  return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: digits })
    .format(value);
}

// For the ticks of an axis: as many digits as it takes to tell neighbours apart.
export function ticksOf([low, high]: Range): (value: number) => string {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const digits = Math.ceil(Math.log10(largest / (high - low))) + 2;
  return (value) => rounded(value, Math.min(15, Math.max(3, digits)));
}

// For tables; what is cut off can still be read.
export function readable(value: number): string {
  return Number.isInteger(value) ? exact(value) : rounded(value, 6);
}

// Every digit there is; thousands apart in whole numbers.
export function exact(value: number): string {
  return Number.isSafeInteger(value) ? grouped.format(value) : String(value);
}

export type Range = [number, number];

// Ticks of a logarithmic axis: every so many powers of ten, times the digits.
export function logTicks([low, high]: Range, step: number, digits: number[]): number[] {
  const first = Math.floor(Math.log10(low) / step) * step;
  const ticks: number[] = [];
  for (let power = first; power <= Math.log10(high); power += step) {
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
