/** A duration as people say it: `150 ms`, `1.5 s`, `2 min`. */
export function duration(ms: number): string {
  if (ms < 1) return ms === 0 ? '0 ms' : '< 1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 59.95) return `${trim(seconds.toFixed(1))} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  return `${trim((seconds / 60).toFixed(1))} min`;
}

function trim(text: string): string {
  return text.replace(/\.0+$/, '');
}

/** `12,300`; with one decimal below ten. */
export function count(value: number): string {
  if (Math.abs(value) < 10) return trim(value.toFixed(1));
  return Math.round(value).toLocaleString('en');
}

/** `87 %`; never 100 % of what is not all of it, nor 0 % of what is not nothing. */
export function percent(share: number): string {
  if (share > 0.995 && share < 1) return '> 99 %';
  if (share > 0 && share < 0.005) return '< 1 %';
  return `${Math.round(share * 100)} %`;
}

/** `1.8 ×` */
export function times(factor: number): string {
  return `${factor < 10 ? factor.toFixed(2) : Math.round(factor)} ×`;
}

/** A number as the house writes it in code: `10_000`. */
export function literal(value: number): string {
  return String(value).replace(/^\d{4,}$/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, '_'));
}

/** `a, b and c` */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
