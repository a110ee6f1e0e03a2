import type { Trouble } from '@ebb/testing/faults';
import type { ClientFactory } from '../../scenario/client-options.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { simulate } from '../../simulation/simulate.ts';
import { answeredPercent } from '../overload/percent.ts';

export const CLIENTS: readonly number[] = [1, 12, 50, 100, 500, 2_500];
export const RATES: readonly number[] = [50, 150, 500];
export const SERVICES_MS: readonly number[] = [20, 60, 200];

/** The load as a share of the capacity, unless a trouble has its own. */
const LOAD = 0.75;
const BEGINS_MS = 10_000;
const MINUTE_MS = 60_000;
const QUEUE_SECONDS = 2;

/** Something that happens to a service. A minute follows it. */
export interface GridTrouble {
  readonly load?: number;
  readonly durationMs: number;
  readonly troubles: readonly Trouble[];
}

/** Begins after ten seconds. */
function after(lastsMs: number, trouble: object, load?: number): GridTrouble {
  const untilMs = BEGINS_MS + lastsMs;
  const troubles = [{ ...trouble, fromMs: BEGINS_MS, untilMs } as Trouble];
  return { durationMs: untilMs + MINUTE_MS, troubles, ...(load !== undefined && { load }) };
}

const silence = { type: 'outage', answer: 'silence' };
const half = { type: 'brown-out', capacityShare: 0.5 };

/** The troubles of the grid. The storm, and silence at 0.9, are those of the other studies. */
export const TROUBLES: Readonly<Record<string, GridTrouble>> = {
  'half the capacity': after(MINUTE_MS, half),
  refusals: after(30_000, { type: 'outage', answer: 'unavailable' }),
  'silence 5 s': after(5_000, silence),
  'silence 30 s': after(30_000, silence),
  'brown-out': after(MINUTE_MS, { type: 'brown-out', capacityShare: 0.25 }),
  'start in overload': {
    durationMs: 30_000 + MINUTE_MS,
    troubles: [{ ...half, fromMs: 0, untilMs: 30_000 } as Trouble],
  },
  'load .8': { load: 0.8, durationMs: 3 * MINUTE_MS, troubles: [] },
  'load .95': { load: 0.95, durationMs: 3 * MINUTE_MS, troubles: [] },
  'storm .9': after(MINUTE_MS, half, 0.9),
  'silence 5 s .9': after(5_000, silence, 0.9),
};

/** A service with its clients, and the trouble of the service. */
export interface World {
  readonly trouble: string;
  readonly clients: number;
  readonly requestsPerSecond: number;
  readonly serviceMs: number;
}

/** Each mix. */
export const WORLDS: readonly World[] = Object.keys(TROUBLES).flatMap((trouble) =>
  CLIENTS.flatMap((clients) =>
    RATES.flatMap((requestsPerSecond) =>
      SERVICES_MS.map((serviceMs) => ({ trouble, clients, requestsPerSecond, serviceMs })),
    ),
  ),
);

/** A third of them: each trouble, number of clients and load with one time to serve, as in a Latin square. */
export const SMALL: readonly World[] = WORLDS.filter(({ serviceMs }, at) => {
  const mix = Math.floor(at / SERVICES_MS.length);
  const turn = mix + Math.floor(mix / RATES.length) + Math.floor(mix / RATES.length / CLIENTS.length);
  return serviceMs === SERVICES_MS[turn % SERVICES_MS.length];
});

/**
 * The scenario of a world. There are two workers at least; the time to serve is adjusted to the workers, which keeps the load of the
 * trouble.
 */
export function scenarioOf(world: World): Omit<Scenario, 'policy'> {
  const { clients, requestsPerSecond, serviceMs } = world;
  const { load = LOAD, durationMs, troubles } = TROUBLES[world.trouble] as GridTrouble;
  const capacity = requestsPerSecond / load;
  const workers = Math.max(2, Math.round((capacity * serviceMs) / 1_000));
  return {
    durationMs,
    clients: { count: clients, requestsPerSecond },
    server: {
      workers,
      serviceMs: (1_000 * workers) / capacity,
      maxQueue: Math.round(QUEUE_SECONDS * capacity),
      troubles,
    },
  };
}

/** Returns the answered requests of a world, in percent. */
export function answeredShare(world: World, policy: FleetPolicy | ClientFactory, seed: number): number {
  return answeredPercent(simulate({ ...scenarioOf(world), policy }, { seed }));
}
