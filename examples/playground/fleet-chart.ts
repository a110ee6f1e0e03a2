import type { Series, Trace } from '@ebb/simulator';
import { capacityOf, secondsOf, TROUBLE_FROM_MS } from './fleet.ts';
import { count, duration, percent, times } from './format.ts';
import type { Settings } from './settings.ts';
import { drawTime, type Line } from './time-chart.ts';

/** The series of a run so far, and its settings. */
export interface Seconds {
  readonly series: Series;
  readonly settings: Settings;
}

/** The length of an interval of a series. */
export const SECOND_MS = 1_000;

export interface FleetPlots {
  readonly calls: HTMLElement;
  readonly amplification: HTMLElement;
  readonly queue: HTMLElement;
}

const BAND_NAMES = {
  unavailable: 'answers 503',
  refused: 'refuses',
  silence: 'no answer',
  'brown-out': 'half fails',
} as const;

function answeredShare({ totals }: Trace): number {
  return totals.requests === 0 ? 0 : totals.successes / totals.requests;
}

/** The finding in a sentence. */
export function fleetFinding(trace: Trace): string {
  const after = trace.recovery?.recoveredAfterMs;
  const calls = `${times(trace.amplification)} the calls, ${percent(answeredShare(trace))} answered`;
  if (after === undefined) return `The service does not recover within a minute: ${calls}`;
  const soon = after === 0 ? 'at once' : `${duration(after)} after the trouble`;
  return `The service recovers ${soon}: ${calls}`;
}

/** A number of the run: its name, its text and its value. */
export interface Tile {
  readonly name: string;
  readonly text: string;
  readonly value: number | string;
}

function recoveryText(afterMs: number | undefined): string {
  if (afterMs === undefined) return 'never';
  return afterMs === 0 ? 'at once' : `+ ${duration(afterMs)}`;
}

export function tilesOf(trace: Trace): Tile[] {
  const { totals, amplification, latencyMs, recovery } = trace;
  const after = recovery?.recoveredAfterMs;
  const slowest = latencyMs.count === 0 ? 'none' : `> ${duration(latencyMs.p99)}`;
  return [
    { name: 'Requests', text: count(totals.requests), value: totals.requests },
    { name: 'Calls', text: count(totals.sends), value: totals.sends },
    { name: 'Amplification', text: times(amplification), value: amplification },
    { name: 'Answered', text: percent(answeredShare(trace)), value: totals.successes },
    { name: 'Slowest 1 %', text: slowest, value: latencyMs.p99 },
    { name: 'Recovery', text: recoveryText(after), value: after ?? 'never' },
  ];
}

/** Sends per new request for each second; in a second without new requests, all sends. */
function amplificationOf(series: Series): number[] {
  return Array.from(series.sends, (sends, at) => sends / Math.max(1, series.requests[at] ?? 0));
}

function peakOf(values: ArrayLike<number>): number {
  return Array.from(values).reduce((best, value, at, all) => (value > (all[best] ?? 0) ? at : best), 0);
}

/** The index for the label of a kept run: a late place at which it differs much from the shown run. */
function apart(kept: readonly number[], shown: ArrayLike<number>): number {
  const differences = kept.map((value, at) => Math.abs(value - (shown[at] ?? 0)));
  const most = differences[peakOf(differences)] ?? 0;
  const late = Math.floor(0.85 * kept.length);
  const found = differences.findLastIndex((difference, at) => at <= late && difference >= 0.7 * most);
  return found < 0 ? peakOf(differences) : found;
}

/** The same line of a kept run, up to the end of the shown run. */
function before(line: Line, kept: ArrayLike<number> | undefined): Line[] {
  if (kept === undefined) return [];
  const values = Array.from(kept).slice(0, line.values.length);
  const name = `${line.name} before`.trim();
  return [{ ...line, name, values, labelAt: apart(values, line.values), filled: false, before: true }];
}

/** Draws a run, and the kept run behind it. */
export function drawFleet(plots: FleetPlots, { series, settings }: Seconds, kept?: Series): void {
  const untilMs = TROUBLE_FROM_MS + settings.troubleSeconds * 1_000;
  const band = { fromMs: TROUBLE_FROM_MS, untilMs, name: '' };
  const common = { stepMs: SECOND_MS, mostMs: secondsOf(settings) * SECOND_MS - SECOND_MS, band };
  const inTrouble = Math.round((TROUBLE_FROM_MS + untilMs) / 2 / SECOND_MS);
  const capacity = capacityOf(settings);

  const most = peakOf(series.sends);
  const calls: Line = { name: 'calls', colour: 'warn', values: series.sends, labelAt: most };
  const goodput: Line = {
    name: 'goodput',
    colour: 'good',
    values: series.successes,
    labelAt: inTrouble,
    filled: true,
  };
  const peak = `Calls peak at ${count(series.sends[most] ?? 0)} per second after ${most} s`;
  const end = `the capacity is ${count(capacity)}, and ${count(series.successes.at(-1) ?? 0)} are answered in the end`;
  drawTime(plots.calls, {
    ...common,
    title: 'Per second',
    finding: `Calls and goodput for each second. ${peak}; ${end}.`,
    band: { ...band, name: BAND_NAMES[settings.trouble] },
    level: { value: capacity, name: 'capacity' },
    lines: [...before(calls, kept?.sends), ...before(goodput, kept?.successes), goodput, calls],
    times: false,
  });

  const amplification = amplificationOf(series);
  const factor: Line = { name: '', colour: 'warn', values: amplification, labelAt: 0, filled: true };
  drawTime(plots.amplification, {
    ...common,
    title: 'Amplification: calls per new request',
    finding: `Amplification for each second: at most ${times(Math.max(...amplification))}.`,
    most: 2,
    lines: [...before(factor, kept && amplificationOf(kept)), factor],
    times: false,
  });

  const longest = peakOf(series.queue);
  const queue: Line = { name: '', colour: 'accent', values: series.queue, labelAt: 0, filled: true };
  drawTime(plots.queue, {
    ...common,
    title: 'Queue of the service',
    finding: `The queue is longest after ${longest} s, with ${count(series.queue[longest] ?? 0)} calls.`,
    most: 2 * capacity,
    lines: [...before(queue, kept?.queue), queue],
  });
}

/** One second of the run in a sentence. */
export function momentOf(series: Series, second: number): string {
  const at = (values: ArrayLike<number>): string => count(values[second] ?? 0);
  const requests = `${at(series.requests)} new requests, ${at(series.sends)} calls`;
  return `${duration(second * SECOND_MS)}: ${requests}, ${at(series.successes)} answered, ${at(series.queue)} in the queue`;
}
