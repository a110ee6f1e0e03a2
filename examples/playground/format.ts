/** Between a number and its unit: no line breaks there. */
const NB = '\u00a0';

/** A readable duration: `150 ms`, `1.5 s`, `2 min`. */
export function duration(ms: number): string {
  if (ms < 1) return ms === 0 ? `0${NB}s` : `<${NB}1${NB}ms`;
  if (ms < 999.5) return `${Math.round(ms)}${NB}ms`;
  const seconds = ms / 1_000;
  if (seconds < 59.95) return `${trim(seconds.toFixed(1))}${NB}s`;
  if (seconds < 119.5) return `${Math.round(seconds)}${NB}s`;
  return `${trim((seconds / 60).toFixed(1))}${NB}min`;
}

function trim(text: string): string {
  return text.replace(/\.0+$/, '');
}

/** `12,300`; with one decimal below ten. */
export function count(value: number): string {
  if (Math.abs(value) < 10) return trim(value.toFixed(1));
  return Math.round(value).toLocaleString('en');
}

/** `87 %`. Shows 100 % and 0 % only for exactly 1 and 0. */
export function percent(share: number): string {
  if (share > 0.995 && share < 1) return `>${NB}99${NB}%`;
  if (share > 0 && share < 0.005) return `<${NB}1${NB}%`;
  return `${Math.round(share * 100)}${NB}%`;
}

/** `1.8 ×` */
export function times(factor: number): string {
  return `${factor < 10 ? factor.toFixed(2) : Math.round(factor)}${NB}×`;
}

/** A number literal as in this repository: `10_000`. */
export function literal(value: number): string {
  return String(value).replace(/^\d{4,}$/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, '_'));
}
