import type { FaultScenario } from '@ebb/testing/faults';
import { sharing } from './sharing.ts';
import { percent, run, type World } from './world.ts';
import { CAPACITY, type Make, type Numbers, REQUESTS, SERVER, SERVICE_MS, WORLDS } from './worlds.ts';

// Services that the rule was not made for.

const STORM = { fromMs: 10_000, untilMs: 70_000 };

/** Half of the capacity is gone for a minute. */
async function storm(clients: number, server: World['server'], policy: Make): Promise<Numbers> {
  const world = { clients, requestsPerSecond: REQUESTS, durationMs: 130_000, server, policy };
  return { overall: percent(await run(world)) };
}

/** All requests are served at once, at a speed that falls with their number. At most as many as the queue of the others holds. */
function smooth(clients: number, policy: Make): Promise<Numbers> {
  const { workers, maxQueue = 0 } = SERVER;
  const options = {
    workers,
    serviceMs: SERVICE_MS,
    maxInFlight: workers + maxQueue,
    capacityShare: (nowMs: number) => (nowMs >= STORM.fromMs && nowMs < STORM.untilMs ? 0.5 : 1),
    changesMs: [STORM.fromMs, STORM.untilMs],
  };
  return storm(clients, (clock, seed) => sharing(options, clock, seed), policy);
}

/** A queue of a tenth of a second; what does not fit in is answered 429 at once. */
function tooMany(clients: number, policy: Make, retryAfterSeconds?: number): Promise<Numbers> {
  const server: FaultScenario = {
    ...SERVER,
    maxQueue: Math.round(CAPACITY / 10),
    queueFull: 'too-many',
    retryAfterSeconds,
    troubles: [{ type: 'brown-out', ...STORM, capacityShare: 0.5 }],
  };
  return storm(clients, server, policy);
}

/** The load doubles, and half a minute later so does the fleet. */
async function scaling(clients: number, policy: Make): Promise<Numbers> {
  const server: FaultScenario = {
    ...SERVER,
    workers: 2 * SERVER.workers,
    troubles: [{ type: 'brown-out', fromMs: 0, untilMs: 40_000, capacityShare: 0.5 }],
  };
  const requestsPerSecond = (nowMs: number): number => (nowMs < 10_000 ? REQUESTS : 2 * REQUESTS);
  return { overall: percent(await run({ clients, requestsPerSecond, durationMs: 100_000, server, policy })) };
}

const KINDS: Readonly<Record<string, (clients: number, policy: Make) => Promise<Numbers>>> = {
  'latency grows with the load': smooth,
  'a short queue that answers 429': (clients, policy) => tooMany(clients, policy),
  'a short queue that answers 429, Retry-After 2 s': (clients, policy) => tooMany(clients, policy, 2),
  'the load doubles, the fleet 30 s later': scaling,
};

/** Of the first worlds those that show where the rule is of little use. */
const HARD = /^(storm without|a short queue)/;

/** Most of them with 12 busy and with 2,500 quiet clients. */
export const OTHER_WORLDS: typeof WORLDS = {
  ...Object.fromEntries(Object.entries(WORLDS).filter(([name]) => HARD.test(name))),
  ...Object.fromEntries(
    Object.entries(KINDS).flatMap(([name, make]) => [
      [`${name}, 12 clients`, (policy: Make) => make(12, policy)],
      [`${name}, 2,500 clients`, (policy: Make) => make(2_500, policy)],
    ]),
  ),
};
