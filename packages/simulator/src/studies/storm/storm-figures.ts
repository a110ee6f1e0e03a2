import { barChart } from '../../chart/bar-chart.ts';
import { finding } from '../../chart/frame.ts';
import { lineChart } from '../../chart/line-chart.ts';
import type { Colour } from '../../chart/palette.ts';
import { duration } from '../../chart/scale.ts';
import { failedShare, goodput, type Trace } from '../../measure/trace.ts';
import { type ExperimentResult, traceOf } from '../experiment.ts';
import type { Repeats } from '../experiment-study.ts';

const STORM_LINES: Readonly<Record<string, Colour>> = {
  'Full jitter': 'red',
  Memorystore: 'purple',
  '+ throttle': 'teal',
  '+ budget': 'blue',
  'gRPC A6': 'green',
  'Google SRE': 'olive',
  Finagle: 'orange',
};

const STORM =
  'A service at 90\u00a0% of its capacity loses half of it for a minute. 10,000 clients, 2,000 requests per second.';
const TROUBLE = [{ name: 'half the capacity', from: 10, to: 70 }];

function recoverySeconds({ recovery }: Trace): number | undefined {
  return recovery?.recoveredAfterMs === undefined ? undefined : recovery.recoveredAfterMs / 1_000;
}

const ALONE = ['At once', 'Full jitter', 'Equal jitter', 'Decorrelated', 'Memorystore'];

/** The lowest and the highest of several seeds at each time. */
function rangeOf(traces: readonly Trace[]): (readonly [number, number])[] {
  const all = traces.map((trace) => goodput(trace).map(([, percent]) => percent));
  return (all[0] ?? []).map((_, at) => {
    const values = all.map((one) => one[at] as number);
    return [Math.min(...values), Math.max(...values)];
  });
}

/** The share of requests that are answered during the storm and after it. The band around a line is the range of all seeds. */
export function stormFigure(
  results: readonly ExperimentResult[],
  repeats: readonly (readonly ExperimentResult[])[] = [],
): string {
  const all = [results, ...repeats];
  const slowest = (name: string): number =>
    Math.max(...all.map((one) => recoverySeconds(traceOf(one, name)) ?? Number.POSITIVE_INFINITY));
  const [budget, throttle] = ['+ budget', '+ throttle'].map(slowest);
  const noneRecovers = ALONE.every((name) => recoverySeconds(traceOf(results, name)) === undefined);
  return lineChart({
    title: finding(
      noneRecovers && Number.isFinite(budget) && Number.isFinite(throttle),
      `No backoff rule brings the fleet back; with a budget it recovers in ${budget}\u00a0s at most, with a throttle in ${throttle}\u00a0s`,
      'Requests answered while half the capacity is gone, and after that',
    ),
    note: `${STORM} The bands are the range of ${all.length} seeds.`,
    x: 'Seconds',
    y: 'Requests answered, %',
    lines: Object.entries(STORM_LINES).map(([name, colour]) => ({
      name: name.startsWith('+') ? `Memorystore ${name}` : name,
      colour,
      points: goodput(traceOf(results, name)),
      range: rangeOf(all.map((one) => traceOf(one, name))),
    })),
    bands: TROUBLE,
    most: 125,
    width: 440,
  });
}

/** The length of the server's queue during the storm and after it. */
export function stormQueueFigure(results: readonly ExperimentResult[]): string {
  const full = Math.max(...traceOf(results, 'Memorystore').series.queue);
  const last = traceOf(results, 'Memorystore').series.queue.at(-1) ?? 0;
  return lineChart({
    title: finding(
      last > 0.9 * full,
      'Retries keep the queue full long after its cause is gone',
      'How many requests wait in the server’s queue',
    ),
    note: `${STORM} The queue holds two seconds of work; clients wait one second.`,
    x: 'Seconds',
    y: 'Requests in the queue',
    lines: Object.entries(STORM_LINES).map(([name, colour]) => ({
      name: name.startsWith('+') ? `Memorystore ${name}` : name,
      colour,
      points: Array.from(traceOf(results, name).series.queue, (queue, at) => [at + 1, queue] as const),
    })),
    bands: TROUBLE,
  });
}

/** Schemes that limit retries by successes, and schemes with a fixed number of retries for each client. */
const BY_SUCCESS = ['+ budget', '+ bucket', '+ adaptive', 'gRPC A6'];
const BY_ALLOWANCE = ['Finagle', 'AWS standard'];

/** The gain of a bucket on top of a budget, and its price: more requests are answered, and they wait longer. */
function bucketsPrice(results: readonly ExperimentResult[]): string {
  const [budget, bucket] = [traceOf(results, '+ budget'), traceOf(results, '+ bucket')];
  const [before, after] = [budget, bucket].map((trace) => (100 * failedShare(trace)).toFixed(0));
  const [soon, late] = [budget, bucket].map(({ latencyMs }) =>
    duration(latencyMs.p99).replace(' ', '\u00a0'),
  );
  return `With a bucket on top of the budget ${after}\u00a0% fail, not ${before}\u00a0%, and the p99 of the answers is ${late}, not ${soon}.`;
}

/** Every scheme of the storm: sends per request, recovery time, failures, and the time to an answer. */
export function stormSchemesFigure(results: readonly ExperimentResult[]): string {
  const isBack = (name: string): boolean => recoverySeconds(traceOf(results, name)) !== undefined;
  return barChart({
    title: finding(
      BY_SUCCESS.every(isBack) && !BY_ALLOWANCE.some(isBack),
      'Fleets recover if successes pay for retries; fixed allowances per client add up to a storm',
      'Sends, recovery, failures and time to an answer for each way to retry',
    ),
    note: `${STORM} ${bucketsPrice(results)}`,
    columns: [
      'Sends for each request',
      'Seconds to recover',
      'Requests that failed',
      'p99 of those answered',
    ],
    rows: results.map(({ name, trace }) => {
      const seconds = recoverySeconds(trace);
      const failed = 100 * failedShare(trace);
      return {
        name,
        bars: [
          { parts: [{ value: trace.amplification, colour: 'blue' }], text: trace.amplification.toFixed(2) },
          {
            parts: seconds === undefined ? [] : [{ value: seconds, colour: 'green' }],
            text: seconds === undefined ? 'not in 60' : String(seconds),
          },
          { parts: [{ value: failed, colour: 'red' }], text: `${failed.toFixed(0)}\u00a0%` },
          {
            parts: [{ value: trace.latencyMs.p99, colour: 'purple' }],
            text: duration(trace.latencyMs.p99).replace(' ', '\u00a0'),
          },
        ],
      };
    }),
  });
}

/** The lines of the first figure are drawn with the range of so many seeds. */
export const STORM_REPEATED: Repeats = { policies: Object.keys(STORM_LINES), seeds: 8 };
