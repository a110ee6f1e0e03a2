import { barChart } from '../../chart/bar-chart.ts';
import { finding } from '../../chart/frame.ts';
import { lineChart } from '../../chart/line-chart.ts';
import { numeral } from '../../chart/scale.ts';
import { burstUnder, GATEWAY_CASES, gatewayServes, taskStarts } from './bucket-cases.ts';

/** The points of a count that grows by one at each of these times. */
function cumulative(momentsMs: readonly number[], untilMs: number): (readonly [number, number])[] {
  const points = new Map<number, number>([[0, 0]]);
  for (const [at, ms] of momentsMs.entries()) points.set(ms / 1_000, at + 1);
  points.set(untilMs / 1_000, momentsMs.length);
  return [...points];
}

/** App Engine's buckets of 500 and 100 tokens at 500 per second. */
export function appEngineFigure(): string {
  const [large, small] = [taskStarts(500, 2_000), taskStarts(100, 2_000)];
  const inFirst = (starts: readonly number[]): number => starts.filter((ms) => ms < 1_000).length;
  return lineChart({
    title: finding(
      inFirst(large) === 900 && inFirst(small) === 500,
      'At 500 per second a bucket of 500 starts 900 tasks in the first second, a bucket of 100 starts 500',
      'Tasks started with a bucket of 500 and with a bucket of 100',
    ),
    note: 'App Engine task queue with a backlog. Every 200 ms 100 tokens come in.',
    x: 'Seconds',
    y: 'Tasks started',
    lines: [
      { name: 'Bucket of 500', colour: 'orange', points: cumulative(large, 2_000), steps: true },
      { name: 'Bucket of 100', colour: 'blue', points: cumulative(small, 2_000), steps: true },
    ],
  });
}

/** The five cases of API Gateway. */
export function gatewayFigure(): string {
  return barChart({
    title: 'Of 10,000 requests in a second API Gateway serves 5,000 to 10,000, depending on how they arrive',
    note: 'A token bucket with a rate of 10,000 per second and a burst of 5,000, full at the start.',
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

/** The three treatments of requests that find no token. */
export function treatmentsFigure(): string {
  const sent = (treatment: 'delay' | 'reject' | 'mark'): number[] =>
    burstUnder(treatment).flatMap(({ sentAtMs }) => (sentAtMs === undefined ? [] : [sentAtMs]));
  const [delay, reject, mark] = [sent('delay'), sent('reject'), sent('mark')];
  const waits = burstUnder('delay').map(({ sentAtMs, arrivedAtMs }) => (sentAtMs ?? 0) - arrivedAtMs);
  const longest = (Math.max(...waits) / 1_000).toFixed(1);
  return lineChart({
    title: finding(
      delay.length === mark.length && reject.length < mark.length,
      'Requests over the quota are late, dropped or marked',
      'Requests sent with each of the three treatments',
    ),
    note: `200 requests in one second, then 50 per second, with a bucket of 20 at 100 per second. Delay sends all, up to ${longest}\u00a0s late. Reject drops ${mark.length - reject.length} of ${mark.length}. Mark sends all at once, ${mark.length - reject.length} with a mark.`,
    x: 'Seconds',
    y: 'Requests sent',
    lines: [
      { name: 'Mark', colour: 'orange', points: cumulative(mark, 3_000) },
      { name: 'Delay', colour: 'blue', points: cumulative(delay, 3_000) },
      { name: 'Reject', colour: 'red', points: cumulative(reject, 3_000) },
    ],
  });
}
