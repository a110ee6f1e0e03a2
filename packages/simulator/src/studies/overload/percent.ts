import type { Trace } from '../../measure/trace.ts';

const NO_BREAK = '\u00a0';

/** The answers in an interval, for each 100 requests that began in the interval. More than 100: some requests had been put off before. */
export function answeredPercent(
  { series, intervalMs }: Trace,
  fromMs = 0,
  untilMs: number = Number.POSITIVE_INFINITY,
): number {
  const over = (counts: Float64Array): number =>
    counts.subarray(fromMs / intervalMs, untilMs / intervalMs).reduce((sum, count) => sum + count, 0);
  return (100 * over(series.successes)) / over(series.requests);
}

/** Small shares with a digit more: a service that is down answers few, not none. */
export function percentText(percent: number): string {
  return `${percent.toFixed(percent < 9.95 ? 1 : 0)}${NO_BREAK}%`;
}
