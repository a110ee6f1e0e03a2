import { Histogram } from '../../measure/histogram.ts';
import { ConcurrencyRule } from './rule.ts';
import { type CallResult, type ClientLimit, runWorld, type World } from './world.ts';

/** A service with a right number of requests in flight: more wait in its queue, and fewer leave workers idle. */
export interface Service {
  readonly name: string;
  readonly workers: number;
  /** The mean time of a worker for each request. */
  readonly workMs: number;
  /** The extra time of a request at each endpoint, without a worker; requests go to the endpoints in turn. */
  readonly ownMs: readonly number[];
}

const WORKERS: readonly Service[] = [
  { name: '10 workers of 20 ms', workers: 10, workMs: 20, ownMs: [0] },
  { name: '40 workers of 20 ms', workers: 40, workMs: 20, ownMs: [0] },
  { name: '10 workers of 100 ms', workers: 10, workMs: 100, ownMs: [0] },
  { name: '6 workers of 200 ms', workers: 6, workMs: 200, ownMs: [0] },
  { name: '10 of 20 ms, endpoints 5 and 200 ms away', workers: 10, workMs: 20, ownMs: [5, 200] },
];

const SPREADS = ['even', 'exponential', 'log-normal'] as const;

export interface Cell {
  readonly service: Service;
  readonly spread: World['spread'];
  /** Loops that call again after each answer, for each request of the right number. */
  readonly callers: number;
}

export const CELLS: readonly Cell[] = WORKERS.flatMap((service) =>
  SPREADS.flatMap((spread) => [2, 4, 10].map((callers) => ({ service, spread, callers }))),
);

/** Little's law. */
export function rightOf({ workers, workMs, ownMs }: Service, share = 1): number {
  const meanOwnMs = ownMs.reduce((sum, ms) => sum + ms, 0) / ownMs.length;
  return Math.round(Math.floor(workers * share) * (1 + meanOwnMs / workMs));
}

/** Throughput per second, and the latency of attempts that 99 % are below, in milliseconds. */
export interface Measurement {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** In the steady state, from 5 s after half the workers are gone, and from 10 s after they are back. */
export const PHASES = ['steady', 'half', 'back'] as const;
export type Measures = Readonly<Record<(typeof PHASES)[number], Measurement>>;

/** The steady state begins. */
const WARM_MS = 20_000;

function within(ended: readonly CallResult[], fromMs: number, untilMs: number): Measurement {
  const latency = new Histogram();
  for (const { endedAtMs, sentAtMs, isServed } of ended)
    if (isServed && endedAtMs >= fromMs && endedAtMs < untilMs) latency.add(endedAtMs - sentAtMs);
  const { count, p99 } = latency.quantiles();
  return { perSecond: (count * 1_000) / (untilMs - fromMs), p99Ms: p99 };
}

/** Plays a cell with a limit. Each phase has 1,500 answers at least: a 99 % quantile of fewer says little. */
export function play(limit: ClientLimit, { service, spread, callers }: Cell, seed: number): Measures {
  const { workers, workMs, ownMs } = service;
  const phaseMs = Math.max(25_000, (1_500 * workMs) / (workers / 2));
  const halfMs = WARM_MS + phaseMs;
  const backMs = halfMs + 5_000 + phaseMs;
  const ended = runWorld(limit, {
    load: { callers: callers * rightOf(service) },
    work: (call) => ({ workMs, ownMs: ownMs[call % ownMs.length] as number }),
    spread,
    workers,
    changes: [
      { atMs: halfMs, workers: Math.floor(workers / 2) },
      { atMs: backMs, workers },
    ],
    durationMs: backMs + 10_000 + phaseMs,
    seed,
  });
  return {
    steady: within(ended, WARM_MS, halfMs),
    half: within(ended, halfMs + 5_000, backMs),
    back: within(ended, backMs + 10_000, backMs + 10_000 + phaseMs),
  };
}

export function fixedLimit(limit: number): ClientLimit {
  return { limit, sent: () => 0, answered() {}, failed() {} };
}

/** The best fixed limit of each phase: the right number. */
export function best(cell: Cell, seed: number): Measures {
  const [whole, half] = [1, 0.5].map((share) => play(fixedLimit(rightOf(cell.service, share)), cell, seed));
  return { ...(whole as Measures), half: (half as Measures).half };
}

export function adaptiveLimit(): ClientLimit {
  return new ConcurrencyRule(1, 1_000);
}
