import { Histogram, type Quantiles } from './histogram.ts';

/** What is counted in every interval, in this order. */
export const COUNTED = [
  'requests',
  'sends',
  'successes',
  'failures',
  'unavailable',
  'refused',
  'timeouts',
  'throttled429',
  'throttledLocally',
  'lateAnswers',
] as const;

/** A thing that is counted. */
export type Counted = (typeof COUNTED)[number];

/** What is seen at the end of every interval. */
export type Seen = 'queue' | 'busy' | 'underWay';

/** One number for each interval. */
export type Series = Readonly<Record<Counted | Seen, Float64Array>>;

/** The sum over all intervals. */
export type Totals = Readonly<Record<Counted, number>>;

/** Counts what happens, by interval. */
export class Measures {
  readonly series: Series;
  /** How long successes took, from the request to its answer, retries and waits included. */
  readonly latency: Histogram = new Histogram();
  /** How long attempts waited for a token of their client. */
  readonly tokenWait: Histogram = new Histogram();
  #interval = 0;

  constructor(intervals: number) {
    const names = [...COUNTED, 'queue', 'busy', 'underWay'] as const;
    this.series = Object.fromEntries(names.map((name) => [name, new Float64Array(intervals)])) as Series;
  }

  /** One more of what stands in this column of the {@link series}. */
  count(counts: Float64Array): void {
    counts[this.#interval] = (counts[this.#interval] as number) + 1;
  }

  /** Closes the interval with what is seen at its end. */
  close(queue: number, busy: number, underWay: number): void {
    this.series.queue[this.#interval] = queue;
    this.series.busy[this.#interval] = busy;
    this.series.underWay[this.#interval] = underWay;
    this.#interval += 1;
  }

  get totals(): Totals {
    const sums = COUNTED.map((name) => [name, this.series[name].reduce((sum, count) => sum + count, 0)]);
    return Object.fromEntries(sums) as Totals;
  }
}

export type { Quantiles };
