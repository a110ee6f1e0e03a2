/** Maps values to places along an axis. */
export interface Scale {
  (value: number): number;
  readonly ticks: readonly number[];
}

/** A round step, 1, 2 or 5 times a power of ten, that divides the span into about this many steps. */
export function stepFor(span: number, steps: number): number {
  const rough = span / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const [step = 10] = [1, 2, 5, 10].filter((times) => times * power >= 0.7 * rough);
  return step * power;
}

/** A scale from 0 to `most`, with a few round ticks. */
export function linearScale(most: number, from: number, to: number, step: number = stepFor(most, 4)): Scale {
  const count = Math.floor(most / step + 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
  return Object.assign((value: number) => from + (value / most) * (to - from), { ticks });
}

/** The next round number, at which an axis with this largest value ends. */
export function roundUp(value: number, steps = 4): number {
  if (value <= 0) return 1;
  const step = stepFor(value, steps);
  return Math.ceil(value / step - 1e-9) * step;
}

/** 1,234 and 0.5: an English numeral, independent of the machine's locale. */
export function numeral(value: number): string {
  const [whole = '', fraction] = String(Number(value.toPrecision(12))).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** 850 ms, 8.5 s, 85 s. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${numeral(Math.round(ms / 1_000))} s`;
}
