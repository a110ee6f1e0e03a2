import { barChart } from '../../chart/bar-chart.ts';
import { finding } from '../../chart/finding.ts';
import { lineChart } from '../../chart/line-chart.ts';
import { numeral } from '../../chart/scale.ts';
import { burstUnder, GATEWAY_CASES, gatewayServes, taskStarts } from './bucket-cases.ts';

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
      'Tasks started from a bucket of 500 and from one of 100',
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
      'Requests sent under the three treatments',
    ),
    note: `200 requests in one second, then 50 a second, to a bucket of 20 at 100 a second. Delay: all are sent, up to ${longest}\u00a0s late. Reject: ${mark.length - reject.length} of ${mark.length} are not sent. Mark: all are sent at once, ${mark.length - reject.length} of them with a mark.`,
    x: 'Seconds',
    y: 'Requests sent',
    lines: [
      { name: 'Mark', colour: 'orange', points: cumulative(mark, 3_000) },
      { name: 'Delay', colour: 'blue', points: cumulative(delay, 3_000) },
      { name: 'Reject', colour: 'red', points: cumulative(reject, 3_000) },
    ],
  });
}
