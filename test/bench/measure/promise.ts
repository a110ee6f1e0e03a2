import { capacityOf, type Promised, type Quota } from '../rivals/limiter.ts';

/** Most libraries read a clock of whole milliseconds, and timers may fire up to one early. */
const CLOCK_MS = 2;

/** How many calls a promise allows in so long a time, from the first on. */
export function allowed(promised: Promised, quota: Quota, ms: number): number {
  const { limit, intervalMs } = quota;
  return promised.startsWith('bucket')
    ? capacityOf(quota) + (limit * ms) / intervalMs
    : limit * Math.ceil(ms / intervalMs);
}

/** By how many calls the times of the calls, in milliseconds since the start, exceed the promise at most. */
export function excess(promised: Promised, quota: Quota, times: readonly number[]): number {
  const { limit, intervalMs } = quota;
  if (promised === 'bucket') return Math.max(0, aboveBucket(quota, times));
  if (promised === 'bucket since the start') return Math.max(0, aboveLine(quota, times));
  if (promised === 'any window') return Math.max(0, mostIn(intervalMs - CLOCK_MS, times) - limit);
  return Math.max(0, mostInFixed(intervalMs, times) - limit);
}

/** The most calls in any time that is so long. */
export function mostIn(ms: number, times: readonly number[]): number {
  let most = 0;
  let first = 0;
  times.forEach((atMs, last) => {
    while ((times[first] as number) <= atMs - ms) first += 1;
    most = Math.max(most, last - first + 1);
  });
  return most;
}

/** A bucket of the same quota: its largest debt is the excess of the fullest time that ends with a call. */
function aboveBucket(quota: Quota, times: readonly number[]): number {
  const capacity = capacityOf(quota);
  let tokens = capacity;
  let lastMs = 0;
  let debt = 0;
  for (const atMs of times) {
    tokens = Math.min(capacity, tokens + ((atMs - lastMs) * quota.limit) / quota.intervalMs) - 1;
    lastMs = atMs;
    debt = Math.max(debt, -tokens);
  }
  return debt;
}

function aboveLine(quota: Quota, times: readonly number[]): number {
  const { limit, intervalMs } = quota;
  const excesses = times.map((atMs, index) => index + 1 - (limit * atMs) / intervalMs);
  return excesses.reduce((most, next) => Math.max(most, next), 0) - capacityOf(quota);
}

/** The most calls in one of the windows that follow one another, which begin where it suits the library best. */
function mostInFixed(intervalMs: number, times: readonly number[]): number {
  let fewest = Number.POSITIVE_INFINITY;
  for (let startMs = -intervalMs; startMs <= 0; startMs += 1) {
    const counts = new Map<number, number>();
    for (const atMs of times) {
      const window = Math.floor((atMs - startMs) / intervalMs);
      counts.set(window, (counts.get(window) ?? 0) + 1);
    }
    fewest = Math.min(fewest, Math.max(...counts.values()));
  }
  return fewest;
}
