import type { ClientFactory } from '../../scenario/client-options.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { StudyResult } from '../study.ts';
import { answeredShare, type World } from './worlds.ts';

/** The answered requests of a world by scheme, in percent: a number for each seed, with the same seeds for all schemes. */
export interface WorldRuns {
  readonly world: World;
  readonly percents: Readonly<Record<string, readonly number[]>>;
}

export type Schemes = Readonly<Record<string, FleetPolicy | ClientFactory>>;

/** Runs every world with every scheme and seed. */
export function runWorlds(
  worlds: readonly World[],
  schemes: Schemes,
  seeds: readonly number[],
  onProgress?: (share: number) => void,
): WorldRuns[] {
  return worlds.map((world, at) => {
    const percents = Object.entries(schemes).map(([name, policy]) => {
      return [name, seeds.map((seed) => tenths(answeredShare(world, policy, seed)))] as const;
    });
    onProgress?.((at + 1) / worlds.length);
    return { world, percents: Object.fromEntries(percents) };
  });
}

/** As precise as the recorded runs are. */
function tenths(percent: number): number {
  return Math.round(10 * percent) / 10;
}

const COLUMNS = ['trouble', 'clients', 'requests_per_second', 'service_ms', 'scheme'];

/** A line for each world and scheme, with a number for each seed. */
export function linesOf(all: readonly WorldRuns[]): StudyResult['csv'] {
  const rows = all.flatMap(({ world, percents }) => {
    const { trouble, clients, requestsPerSecond, serviceMs } = world;
    return Object.entries(percents).map(([scheme, own]) => {
      return [trouble, clients, requestsPerSecond, serviceMs, scheme, ...own];
    });
  });
  const seeds = (rows[0]?.length ?? 0) - COLUMNS.length;
  return { columns: [...COLUMNS, ...Array.from({ length: seeds }, (_, at) => `seed_${at + 1}`)], rows };
}

/** The runs in the text of a CSV file of {@link linesOf}. */
export function runsIn(text: string): WorldRuns[] {
  const all = new Map<string, { world: World; percents: Record<string, readonly number[]> }>();
  for (const line of text.trim().split('\n').slice(1)) {
    const [trouble = '', clients, requestsPerSecond, serviceMs, scheme = '', ...percents] = line.split(',');
    const key = [trouble, clients, requestsPerSecond, serviceMs].join();
    const world = {
      trouble,
      clients: Number(clients),
      requestsPerSecond: Number(requestsPerSecond),
      serviceMs: Number(serviceMs),
    };
    const found = all.get(key) ?? { world, percents: {} };
    found.percents[scheme] = percents.map(Number);
    all.set(key, found);
  }
  return [...all.values()];
}
