import { barChart } from '../../chart/bar-chart.ts';
import { finding } from '../../chart/frame.ts';
import { duration } from '../../chart/scale.ts';
import type { Trace } from '../../measure/trace.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import { simulate } from '../../simulation/simulate.ts';
import type { Study } from '../study.ts';
import { percentText } from './percent.ts';

const SERVICE_MS = 5;
const STRAGGLERS = { share: 0.05, factor: 10 };
const WORKERS = 40;
const CAPACITY = (1_000 * WORKERS) / (SERVICE_MS * (1 + STRAGGLERS.share * (STRAGGLERS.factor - 1)));
const LOADS = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.1] as const;

const POLICIES: Readonly<Record<string, FleetPolicy>> = {
  'No hedges': {},
  'After 10 ms, no limit': { hedges: { delayMs: 10, share: 1 } },
  hedged: { hedges: {} },
  'Quantile 0.94, two hedges': { hedges: { quantile: 0.94, maxHedges: 2 } },
};

interface TailResult {
  readonly name: string;
  readonly load: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** Hedges for each request. */
  readonly more: number;
}

function tailOf(name: string, load: number, { latencyMs, totals }: Trace): TailResult {
  const { p50, p99, p999 } = latencyMs;
  return { name, load, p50, p99, p999, more: totals.hedges / totals.requests };
}

const ms = (value: number): string => duration(value).replace(' ', '\u00a0');
const more = (share: number): string => percentText(100 * share);

function figure(all: readonly TailResult[]): string {
  const at = (name: string, load: number): TailResult =>
    all.find((one) => one.name === name && one.load === load) as TailResult;
  const drawn = [0.5, 0.8, 0.9];
  const isCut = drawn.every((load) => at('hedged', load).p99 < 0.6 * at('No hedges', load).p99);
  return barChart({
    title: finding(
      isCut &&
        at('hedged', 0.8).p99 < 0.4 * at('No hedges', 0.8).p99 &&
        at('After 10 ms, no limit', 0.8).p99 > 1_000,
      'Hedges with a budget cut the tail of a busy service to two fifths; without one they overload it',
      'Hedges at three loads of a service',
    ),
    note: `${WORKERS} workers with one queue. Requests take ${SERVICE_MS} ms on average, and one in twenty ten times as long.`,
    columns: [...drawn.map((load) => `p99, load ${load}`), 'More sends, load 0.8'],
    rows: Object.keys(POLICIES).map((name) => ({
      name,
      bars: [
        ...drawn.map((load) => ({
          parts: [{ value: at(name, load).p99, colour: 'purple' as const }],
          text: ms(at(name, load).p99),
        })),
        { parts: [{ value: at(name, 0.8).more, colour: 'blue' as const }], text: more(at(name, 0.8).more) },
      ],
    })),
  });
}

/** A second try of the requests that take long, at several loads: a hedge is also more work. */
export const tail: Study = {
  name: 'tail',
  shows: 'hedges of a service with stragglers, at seven loads',
  figures: ['tail'],
  run({ seed, onProgress } = {}) {
    const cases = LOADS.flatMap((load) =>
      Object.entries(POLICIES).map(([name, policy]) => ({ load, name, policy })),
    );
    const all = cases.map(({ load, name, policy }, at) => {
      const trace = simulate(
        {
          durationMs: 20_000,
          clients: { count: 4, requestsPerSecond: load * CAPACITY },
          server: { workers: WORKERS, serviceMs: SERVICE_MS, stragglers: STRAGGLERS },
          policy,
        },
        { seed },
      );
      onProgress?.((at + 1) / cases.length);
      return tailOf(name, load, trace);
    });
    return {
      table: {
        columns: ['hedges', 'load', 'p50', 'p99', 'p99.9', 'more'],
        rows: all.map((one) => [
          one.name,
          String(one.load),
          ...[one.p50, one.p99, one.p999].map(duration),
          more(one.more),
        ]),
        legend:
          'load: requests as a share of the capacity · more: sends beside the first tries, for each request',
      },
      figures: [{ name: 'tail', svg: figure(all) }],
      csv: {
        columns: ['hedges', 'load', 'p50_ms', 'p99_ms', 'p999_ms', 'more'],
        rows: all.map((one) => [
          one.name,
          one.load,
          ...[one.p50, one.p99, one.p999, one.more].map((value) => Number(value.toFixed(4))),
        ]),
      },
      data: all,
    };
  },
};
