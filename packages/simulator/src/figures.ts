import { burstUnder, GATEWAY_CASES, gatewayServes, taskStarts } from './bucket-cases.ts';
import { barChart } from './chart/bar-chart.ts';
import { type Line, lineChart } from './chart/line-chart.ts';
import type { Colour } from './chart/palette.ts';
import { numeral } from './chart/scale.ts';
import type { ComparisonPoint } from './comparison.ts';
import type { ExperimentResult } from './experiment.ts';
import { goodput } from './goodput.ts';
import { failedShare, type Trace } from './trace.ts';

const RULE_COLOURS: Readonly<Record<string, Colour>> = {
  None: 'grey',
  Exponential: 'red',
  'Equal jitter': 'orange',
  'Full jitter': 'blue',
  Decorrelated: 'green',
  Memorystore: 'purple',
  Celery: 'teal',
  Ethernet: 'brown',
};

/** A finding is only written above a figure that shows it. */
function finding(holds: boolean, text: string): string {
  if (!holds) throw new Error(`The figure does not show what its title says: ${text}`);
  return text;
}

function ruleLines(points: readonly ComparisonPoint[], value: (point: ComparisonPoint) => number): Line[] {
  const rules = [...new Set(points.map(({ rule }) => rule))];
  return rules.map((rule) => ({
    name: rule,
    colour: RULE_COLOURS[rule] ?? 'grey',
    points: points
      .filter((point) => point.rule === rule)
      .map((point) => [point.clients, value(point)] as const),
  }));
}

function atMost(points: readonly ComparisonPoint[], rule: string): ComparisonPoint {
  const point = points.filter((other) => other.rule === rule).at(-1);
  if (point === undefined) throw new Error(`No point for ${rule}`);
  return point;
}

const RACE = 'Clients race to write one row; a conflict makes them wait and read again. 100 runs a point.';

/** How many writes it takes until every client is through. */
export function callsFigure(points: readonly ComparisonPoint[]): string {
  const [none, full] = [atMost(points, 'None').calls.mean, atMost(points, 'Full jitter').calls.mean];
  return lineChart({
    title: finding(
      full < none / 4,
      `Full jitter does with ${numeral(Math.round(full))} calls what takes ${numeral(Math.round(none))} without backoff`,
    ),
    note: `${RACE} The published comparison, reproduced.`,
    x: 'Competing clients',
    y: 'Calls',
    lines: ruleLines(points, ({ calls }) => calls.mean),
  });
}

/** How long it takes until every client is through. */
export function completionFigure(points: readonly ComparisonPoint[]): string {
  const seconds = (rule: string): number => Math.round(atMost(points, rule).completionMs.mean / 1_000);
  return lineChart({
    title: finding(
      seconds('Exponential') > 10 * seconds('Full jitter'),
      `Exponential backoff without jitter takes ${seconds('Exponential')}\u00a0s; with full jitter, ${seconds('Full jitter')}\u00a0s`,
    ),
    note: `${RACE} The published comparison, reproduced.`,
    x: 'Competing clients',
    y: 'Seconds until all are through',
    lines: ruleLines(points, ({ completionMs }) => completionMs.mean / 1_000),
  });
}

/** The rules that the published comparison lacks, by calls. */
export function otherCallsFigure(points: readonly ComparisonPoint[]): string {
  const calls = (rule: string): number => atMost(points, rule).calls.mean;
  const near = (rule: string): boolean => Math.abs(calls(rule) / calls('Full jitter') - 1) < 0.1;
  return lineChart({
    title: finding(
      near('Celery') && near('Ethernet'),
      'Celery’s rule and Ethernet’s are full jitter, by their calls',
    ),
    note: `${RACE} Memorystore’s rule a hundred times as fast.`,
    x: 'Competing clients',
    y: 'Calls',
    lines: ruleLines(points, (point) => point.calls.mean),
  });
}

/** The rules that the published comparison lacks, by time. */
export function otherCompletionFigure(points: readonly ComparisonPoint[]): string {
  const seconds = (rule: string): number => atMost(points, rule).completionMs.mean / 1_000;
  return lineChart({
    title: finding(
      seconds('Memorystore') > 1.2 * seconds('Full jitter'),
      `Jitter that stays small while waits grow does little: ${seconds('Memorystore').toFixed(0)}\u00a0s, where full jitter takes ${seconds('Full jitter').toFixed(0)}`,
    ),
    note: `${RACE} Memorystore’s rule a hundred times as fast.`,
    x: 'Competing clients',
    y: 'Seconds until all are through',
    lines: ruleLines(points, ({ completionMs }) => completionMs.mean / 1_000),
  });
}

/** Points of a count that grows by one at each moment. */
function cumulative(momentsMs: readonly number[], untilMs: number): (readonly [number, number])[] {
  const points = new Map<number, number>([[0, 0]]);
  for (const [at, ms] of momentsMs.entries()) points.set(ms / 1_000, at + 1);
  points.set(untilMs / 1_000, momentsMs.length);
  return [...points];
}

/** App Engine's buckets of 500 and 100 tokens at 500 a second. */
export function appEngineFigure(): string {
  const [large, small] = [taskStarts(500, 2_000), taskStarts(100, 2_000)];
  const inFirst = (starts: readonly number[]): number => starts.filter((ms) => ms < 1_000).length;
  return lineChart({
    title: finding(
      inFirst(large) === 900 && inFirst(small) === 500,
      'At 500 a second a bucket of 500 starts 900 tasks in the first second; one of 100 starts 500',
    ),
    note: 'App Engine task queue with a backlog; tokens come every 200 ms, 100 at a time.',
    x: 'Seconds',
    y: 'Tasks started',
    lines: [
      { name: 'Bucket of 500', colour: 'orange', points: cumulative(large, 2_000), steps: true },
      { name: 'Bucket of 100', colour: 'blue', points: cumulative(small, 2_000), steps: true },
    ],
  });
}

/** API Gateway's five cases. */
export function gatewayFigure(): string {
  return barChart({
    title: 'Of 10,000 requests in a second API Gateway serves 5,000 to 10,000: it depends on how they come',
    note: 'A token bucket with a rate of 10,000 a second and a burst of 5,000, full at first.',
    columns: ['Served, and throttled'],
    rows: GATEWAY_CASES.map((gatewayCase) => {
      const { served, throttled } = gatewayServes(gatewayCase);
      return {
        name: gatewayCase.story,
        bars: [
          {
            parts: [
              { value: served, colour: 'blue' },
              { value: throttled, colour: 'red' },
            ],
            text: throttled === 0 ? numeral(served) : `${numeral(served)}, ${numeral(throttled)} throttled`,
          },
        ],
      };
    }),
  });
}

/** The three treatments of requests for which there is no token. */
export function treatmentsFigure(): string {
  const sent = (treatment: 'delay' | 'reject' | 'mark'): number[] =>
    burstUnder(treatment).flatMap(({ sentAtMs }) => (sentAtMs === undefined ? [] : [sentAtMs]));
  const [delay, reject, mark] = [sent('delay'), sent('reject'), sent('mark')];
  const waits = burstUnder('delay').map(({ sentAtMs, arrivedAtMs }) => (sentAtMs ?? 0) - arrivedAtMs);
  const longest = (Math.max(...waits) / 1_000).toFixed(1);
  return lineChart({
    title: finding(
      delay.length === mark.length && reject.length < mark.length,
      'What does not conform is late, lost or marked',
    ),
    note: `200 requests in one second, then 50 a second, to a bucket of 20 at 100 a second. Delay: all are sent, up to ${longest} s late. Reject: ${mark.length - reject.length} of ${mark.length} are not sent. Mark: all are sent at once, ${mark.length - reject.length} of them with a mark.`,
    x: 'Seconds',
    y: 'Requests sent',
    lines: [
      { name: 'Mark', colour: 'orange', points: cumulative(mark, 3_000) },
      { name: 'Delay', colour: 'blue', points: cumulative(delay, 3_000), dashed: true },
      { name: 'Reject', colour: 'red', points: cumulative(reject, 3_000) },
    ],
  });
}

const STORM_LINES: Readonly<Record<string, Colour>> = {
  'Full jitter': 'red',
  Memorystore: 'purple',
  '+ budget': 'blue',
  'gRPC A6': 'green',
  'Google SRE': 'olive',
  Finagle: 'brown',
};

const STORM =
  'A service at 90\u00a0% of its capacity loses half of it for a minute. 10,000 clients, 2,000 requests a second.';
const TROUBLE = [{ name: 'half the capacity', from: 10, to: 70 }];

function named(results: readonly ExperimentResult[], name: string): Trace {
  const result = results.find((other) => other.name === name);
  if (result === undefined) throw new Error(`The storm has no ${name}`);
  return result.trace;
}

function recovered({ recovery }: Trace): number | undefined {
  return recovery?.recoveredAfterMs === undefined ? undefined : recovery.recoveredAfterMs / 1_000;
}

const ALONE = ['At once', 'Full jitter', 'Equal jitter', 'Decorrelated', 'Memorystore'];

/** What comes of requests in the storm and after it. */
export function stormFigure(results: readonly ExperimentResult[]): string {
  const seconds = recovered(named(results, '+ budget'));
  const nobody = ALONE.every((name) => recovered(named(results, name)) === undefined);
  return lineChart({
    title: finding(
      nobody && seconds !== undefined,
      `However it waits, a fleet that retries without a budget stays down; with one it is back in ${seconds}\u00a0s`,
    ),
    note: STORM,
    x: 'Seconds',
    y: 'Requests answered, %',
    lines: Object.entries(STORM_LINES).map(([name, colour]) => ({
      name: name.startsWith('+') ? `Memorystore ${name}` : name,
      colour,
      points: goodput(named(results, name)),
    })),
    bands: TROUBLE,
    most: 125,
  });
}

/** How long the server's queue is in the storm. */
export function stormQueueFigure(results: readonly ExperimentResult[]): string {
  const full = Math.max(...named(results, 'Memorystore').series.queue);
  const last = named(results, 'Memorystore').series.queue.at(-1) ?? 0;
  return lineChart({
    title: finding(last > 0.9 * full, 'Retries keep the queue full long after its cause is gone'),
    note: `${STORM} The queue holds two seconds of work; clients wait one.`,
    x: 'Seconds',
    y: 'Requests in the queue',
    lines: Object.entries(STORM_LINES).map(([name, colour]) => ({
      name: name.startsWith('+') ? `Memorystore ${name}` : name,
      colour,
      points: Array.from(named(results, name).series.queue, (queue, at) => [at + 1, queue] as const),
    })),
    bands: TROUBLE,
  });
}

/** What limits retries by what went well, and how else they can be limited. */
const BY_SUCCESS = ['+ budget', '+ bucket', '+ adaptive', 'gRPC A6'];
const BY_ALLOWANCE = ['Finagle', 'AWS standard'];

/** Every scheme of the storm: sends for each request, and time to recover. */
export function stormSchemesFigure(results: readonly ExperimentResult[]): string {
  const isBack = (name: string): boolean => recovered(named(results, name)) !== undefined;
  return barChart({
    title: finding(
      BY_SUCCESS.every(isBack) && !BY_ALLOWANCE.some(isBack),
      'Fleets recover whose retries depend on successes; an allowance for each client adds up to a storm',
    ),
    note: STORM,
    columns: ['Sends for each request', 'Seconds to recover', 'Requests that failed'],
    rows: results.map(({ name, trace }) => {
      const seconds = recovered(trace);
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
        ],
      };
    }),
  });
}
