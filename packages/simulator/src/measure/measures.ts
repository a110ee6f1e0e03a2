import { Histogram } from './histogram.ts';

/** The columns that count something in every interval, in this order. */
const COUNTED = [
  'requests',
  'sends',
  'successes',
  'failures',
  'unavailable',
  'refused',
  'timeouts',
  'answered429',
  'notSent',
  'lateAnswers',
  'skipped',
  'hedges',
] as const;

/** A column that counts something. */
export type CountName = (typeof COUNTED)[number];

/** A column that is read at the end of every interval. */
export type Gauge = 'queue' | 'busy' | 'underWay';

/** A number for each interval. */
export type Series = Readonly<Record<CountName | Gauge, Float64Array>>;

/** The sums over all intervals. */
export type Totals = Readonly<Record<CountName, number>>;

/** The counters of a run, by interval. */
export class Measures {
  readonly series: Series;
  /** How long successful requests took, with all retries and waits. */
  readonly latency: Histogram = new Histogram();
  /** How long attempts waited for a token of their client. */
  readonly tokenWait: Histogram = new Histogram();
  #interval = 0;

  constructor(intervals: number) {
    const names = [...COUNTED, 'queue', 'busy', 'underWay'] as const;
    this.series = Object.fromEntries(names.map((name) => [name, new Float64Array(intervals)])) as Series;
  }

  /** Adds one to a column of the {@link series}. */
  count(counts: Float64Array): void {
    counts[this.#interval] = (counts[this.#interval] as number) + 1;
  }

  /** Ends the interval with the numbers that are read at its end. */
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
