import { numeral } from './scale.ts';

/** 850 ms, 8.5 s, 85 s. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${numeral(Math.round(ms / 1_000))} s`;
}
