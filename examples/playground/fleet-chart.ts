import type { Trace } from '@ebb/simulator';
import { capacityOf, TROUBLE_FROM_MS } from './fleet.ts';
import { count, duration, percent, times } from './format.ts';
import type { Settings } from './settings.ts';
import { drawTime } from './time-chart.ts';

export interface FleetPlots {
  readonly calls: HTMLElement;
  readonly amplification: HTMLElement;
  readonly queue: HTMLElement;
}

const BAND_NAMES = {
  unavailable: '503',
  refused: 'refused',
  silence: 'silence',
  'brown-out': 'half gone',
} as const;

/** What is to be seen, in a sentence. */
export function fleetFinding({ recovery, totals, amplification }: Trace): string {
  const answered = percent(totals.requests === 0 ? 0 : totals.successes / totals.requests);
  const calls = `${times(amplification)} the calls`;
  const after = recovery?.recoveredAfterMs;
  if (after === undefined)
    return `The service does not recover within a minute: ${calls}, ${answered} answered`;
  const soon = after === 0 ? 'at once' : `${duration(after)} after the trouble`;
  return `The service recovers ${soon}: ${calls}, ${answered} answered`;
}

/** Numbers of the run: what stands there, and the number behind it. */
export function tilesOf({
  totals,
  amplification,
  latencyMs,
  recovery,
  events,
}: Trace): [string, string, number | string][] {
  const after = recovery?.recoveredAfterMs;
  return [
    ['Requests', count(totals.requests), totals.requests],
    ['Calls', count(totals.sends), totals.sends],
    ['Calls per request', times(amplification), amplification],
    ['Answered', percent(totals.requests === 0 ? 0 : totals.successes / totals.requests), totals.successes],
    ['Slowest 1 % took', latencyMs.count === 0 ? '–' : `> ${duration(latencyMs.p99)}`, latencyMs.p99],
    ['Recovered after', after === undefined ? 'never' : duration(after), after ?? 'never'],
    ['Events', count(events), events],
  ];
}

/** Sends for each request, second by second; 0 where none came. */
export function amplificationOf({ series }: Trace): number[] {
  return Array.from(series.sends, (sends, at) => sends / Math.max(1, series.requests[at] ?? 0));
}

function peak(values: ArrayLike<number>): number {
  return Array.from(values).reduce((best, value, at, all) => (value > (all[best] ?? 0) ? at : best), 0);
}

export function drawFleet(plots: FleetPlots, trace: Trace, settings: Settings): void {
  const { series, intervalMs } = trace;
  const untilMs = TROUBLE_FROM_MS + settings.troubleSeconds * 1_000;
  const mostMs = (series.sends.length - 1) * intervalMs;
  const band = { fromMs: TROUBLE_FROM_MS, untilMs, name: '' };
  const common = { stepMs: intervalMs, mostMs, band };
  const inTrouble = Math.round((TROUBLE_FROM_MS + untilMs) / 2 / intervalMs);
  const capacity = capacityOf(settings);
  const most = peak(series.sends);
  drawTime(plots.calls, {
    ...common,
    title: 'Each second',
    finding: `Calls and goodput, second by second. Calls peak at ${count(series.sends[most] ?? 0)} a second at ${most} s; the service can do ${count(capacity)} and answers ${count(series.successes.at(-1) ?? 0)} at the end.`,
    band: { ...band, name: BAND_NAMES[settings.trouble] },
    level: { value: capacity, name: 'capacity' },
    lines: [
      { name: 'calls', colour: 'warn', values: series.sends, labelAt: most },
      { name: 'goodput', colour: 'good', values: series.successes, labelAt: inTrouble, filled: true },
    ],
    times: false,
  });
  const amplification = amplificationOf(trace);
  drawTime(plots.amplification, {
    ...common,
    title: 'Calls for each new request',
    finding: `Amplification, at most ${times(Math.max(...amplification))}, second by second.`,
    most: 2,
    lines: [{ name: '', colour: 'warn', values: amplification, labelAt: 0, filled: true }],
    times: false,
  });
  const longest = peak(series.queue);
  drawTime(plots.queue, {
    ...common,
    title: 'Queue of the service',
    finding: `The queue is longest at ${longest} s, with ${count(series.queue[longest] ?? 0)} calls.`,
    most: 2 * capacity,
    lines: [{ name: '', colour: 'accent', values: series.queue, labelAt: 0, filled: true }],
  });
}

/** One second of the run, in a sentence. */
export function momentOf(trace: Trace, second: number): string {
  const { series } = trace;
  const at = (values: ArrayLike<number>): string => count(values[second] ?? 0);
  return `${second} s: ${at(series.sends)} calls, ${at(series.successes)} answered, ${at(series.queue)} in the queue`;
}
