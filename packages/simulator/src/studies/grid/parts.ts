import type { Trouble } from '@ebb/testing/faults';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { ServerOptions } from '../../scenario/server-options.ts';
import { simulate } from '../../simulation/simulate.ts';
import { percentText } from '../overload/percent.ts';
import type { Study, StudyResult } from '../study.ts';
import { mean } from './gains.ts';

const CLIENTS: readonly number[] = [1, 12, 100, 500, 2_500];
const RATES: readonly number[] = [5, 50, 500];
const SHARES: readonly number[] = [0.1, 0.5, 0.9];
const SERVICE_MS = 60;
const BEGINS_MS = 10_000;
const ENDS_MS = 70_000;
const DURATION_MS = 100_000;
const SEEDS = 2;

const span = { shard: 1, fromMs: BEGINS_MS, untilMs: ENDS_MS };
const TROUBLES: Readonly<Record<string, Trouble>> = {
  '503': { type: 'outage', answer: 'unavailable', ...span },
  silence: { type: 'outage', answer: 'silence', ...span },
  'a quarter of the capacity': { type: 'brown-out', capacityShare: 0.25, ...span },
};

/** A service of two parts, of which the second is in trouble, with these shares of the requests. */
export interface PartsWorld {
  readonly kind: string;
  readonly scenario: Omit<Scenario, 'policy'> & { readonly clients: Scenario['clients'] & { count: number } };
}

function worldOf(kind: string, count: number, rate: number, badShare: number, server: object): PartsWorld {
  const workers = Math.max(2, Math.round((rate * SERVICE_MS) / 750));
  const shards: ServerOptions = {
    ...{ shards: 2, shardShares: [1 - badShare, badShare] },
    ...{ workers, serviceMs: SERVICE_MS, maxQueue: 4 * rate },
    ...server,
  };
  const clients = { count, requestsPerSecond: rate };
  return { kind, scenario: { durationMs: DURATION_MS, clients, server: shards } };
}

/** Two paths, of which one is in trouble. */
export const PARTS: readonly PartsWorld[] = Object.entries(TROUBLES).flatMap(([name, trouble]) =>
  SHARES.flatMap((share) =>
    RATES.flatMap((rate) =>
      CLIENTS.filter((clients) => clients < 100 * rate).map((clients) =>
        worldOf(`${100 * share} % to a part with ${name}`, clients, rate, share, { troubles: [trouble] }),
      ),
    ),
  ),
);

/** Two tenants have the same path. The second one sends twice its quota, the first one half of it. */
export const TENANTS: readonly PartsWorld[] = [true, false].flatMap((retryAfter) =>
  RATES.filter((rate) => rate >= 50).flatMap((rate) =>
    CLIENTS.map((clients) =>
      worldOf(
        `a tenant over its quota, 429 ${retryAfter ? 'with' : 'without'} Retry-After`,
        clients,
        rate,
        0.8,
        {
          limit: { refillPerSecond: 0.4 * rate, capacity: 0.4 * rate, retryAfter },
        },
      ),
    ),
  ),
);

/** The requests to the healthy part that are answered, beside what no retries answer. */
interface PartsRun {
  readonly kind: string;
  readonly scheme: string;
  readonly clients: number;
  readonly seed: number;
  readonly goodPercent: number;
  readonly p99Ratio: number;
  readonly points: number;
}

const BARE: FleetPolicy = { attemptTimeoutMs: 1_000, maxRetries: 0 };
const OWN: FleetPolicy = { attemptTimeoutMs: 1_000, throttle: {} };

/** The classes that a throttle tells apart. */
const SCHEMES: Readonly<Record<string, { paths?: 'shards' }>> = {
  'one class': {},
  'a class for each path': { paths: 'shards' },
};

export function runParts(
  worlds: readonly PartsWorld[],
  seeds: readonly number[],
  onProgress?: (share: number) => void,
): PartsRun[] {
  return worlds.flatMap(({ kind, scenario }, at) => {
    const runs = seeds.flatMap((seed) => {
      const bare = simulate({ ...scenario, policy: BARE }, { seed });
      return Object.entries(SCHEMES).map(([scheme, more]) => {
        const own = simulate(
          { ...scenario, clients: { ...scenario.clients, ...more }, policy: OWN },
          { seed },
        );
        const [good, bareGood] = [own.shards[0], bare.shards[0]];
        return {
          ...{ kind, scheme, clients: scenario.clients.count, seed },
          goodPercent: (100 * (good?.successes ?? 0)) / (bareGood?.successes ?? 0),
          p99Ratio: (good?.latencyMs.p99 ?? 0) / (bareGood?.latencyMs.p99 ?? 1),
          points: (100 * (own.totals.successes - bare.totals.successes)) / Math.max(1, bare.totals.requests),
        };
      });
    });
    onProgress?.((at + 1) / worlds.length);
    return runs;
  });
}

export function partsResult(all: readonly PartsRun[]): StudyResult {
  const schemes = Object.keys(SCHEMES);
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const cells = (runs: readonly PartsRun[]): string[] => [
    percentText(mean(runs.map(({ goodPercent }) => goodPercent))),
    percentText(Math.min(...runs.map(({ goodPercent }) => goodPercent))),
    Math.max(...runs.map(({ p99Ratio }) => p99Ratio)).toFixed(1),
    Math.min(...runs.map(({ points }) => points)).toFixed(1),
  ];
  const rowOf = (name: string, runs: readonly PartsRun[]): string[] => [
    name,
    ...schemes.flatMap((scheme) => cells(runs.filter((run) => run.scheme === scheme))),
  ];
  return {
    table: {
      columns: ['', ...schemes.flatMap((name) => [`${name}: good calls`, 'worst', 'p99, ×', 'all, worst'])],
      rows: kinds.map((kind) =>
        rowOf(
          kind,
          all.filter((run) => run.kind === kind),
        ),
      ),
      legend: [
        'good calls: answered by the part that is well, of those that no retries answer: the mean, and the worst world and seed.',
        'p99, ×: the 99th percentile of their latency beside that of no retries, in the worst world and seed.',
        'all, worst: points of all requests answered, more or less than no retries, in the worst world and seed.',
      ].join('\n'),
    },
    figures: [],
    csv: {
      columns: ['kind', 'scheme', 'clients', 'seed', 'good_percent', 'p99_ratio', 'points'],
      rows: all.map((run) => [
        ...[run.kind, run.scheme, run.clients, run.seed],
        ...[run.goodPercent, run.p99Ratio, run.points],
      ]),
    },
    data: all,
  };
}

export const parts: Study = {
  name: 'grid-parts',
  shows: 'services of two parts, one of them in trouble',
  figures: [],
  run({ seed = 1, onProgress } = {}) {
    const seeds = Array.from({ length: SEEDS }, (_, at) => seed + at);
    return partsResult(runParts([...PARTS, ...TENANTS], seeds, onProgress));
  },
};
