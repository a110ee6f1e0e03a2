import { type BarPart, barChart } from '../../chart/bar-chart.ts';
import type { Heading } from '../../chart/frame.ts';
import type { Colour } from '../../chart/palette.ts';
import { duration } from '../../chart/scale.ts';
import type { Trace } from '../../measure/trace.ts';
import type { ExperimentResult } from '../experiment.ts';

/** A measure of a run, as a column of bars. */
export interface Measure {
  readonly name: string;
  readonly colour: Colour;
  /** `undefined` has no bar. */
  readonly value: (trace: Trace) => number | undefined;
  readonly text: (value: number | undefined) => string;
}

const NO_BREAK = '\u00a0';

/** A time as the text of a bar. */
function durationText(ms: number | undefined): string {
  return duration(ms ?? 0).replace(' ', NO_BREAK);
}

/** A share in percent as the text of a bar. */
function percentText(percent: number | undefined): string {
  return `${(percent ?? 0).toFixed(0)}${NO_BREAK}%`;
}

export const SENDS: Measure = {
  name: 'Sends for each request',
  colour: 'blue',
  value: ({ amplification }) => amplification,
  text: (value = 0) => value.toFixed(2),
};

/** Requests without an answer at the end do not count as answered, such as requests that wait for ever. */
export const ANSWERED: Measure = {
  name: 'Answered by the end',
  colour: 'green',
  value: ({ totals }) => (100 * totals.successes) / totals.requests,
  text: percentText,
};

export const P99: Measure = {
  name: 'p99 of the answers',
  colour: 'purple',
  value: ({ latencyMs }) => latencyMs.p99,
  text: durationText,
};

/** Requests that a quota refused, per second. */
export const TOO_MANY: Measure = {
  name: '429s per second',
  colour: 'red',
  value: ({ totals, series, intervalMs }) =>
    (totals.answered429 * 1_000) / (series.requests.length * intervalMs),
  text: (value = 0) => String(Math.round(value)),
};

export const RECOVERY: Measure = {
  name: 'Seconds to recover',
  colour: 'orange',
  value: ({ recovery }) =>
    recovery?.recoveredAfterMs === undefined ? undefined : recovery.recoveredAfterMs / 1_000,
  text: (value) => (value === undefined ? 'not in 60' : String(value)),
};

/** A row of bars for each policy. */
export function resultBars(
  heading: Heading,
  results: readonly ExperimentResult[],
  measures: readonly Measure[],
): string {
  return barChart({
    ...heading,
    columns: measures.map(({ name }) => name),
    rows: results.map(({ name, trace }) => ({
      name,
      bars: measures.map((measure) => {
        const value = measure.value(trace);
        const parts: BarPart[] = value === undefined ? [] : [{ value, colour: measure.colour }];
        return { parts, text: measure.text(value) };
      }),
    })),
  });
}
