import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, createPolicy, type EbbEvent, type PolicyOptions } from '@ebb/core';
import { seededRandom, type VirtualClock, virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import type { HedgeOptions } from '@ebb/hedge';
import { hedged } from '@ebb/hedge/fetch';
import { type FaultScenario, type FaultyFetch, faults } from '@ebb/testing/faults';

/** A service of another kind than that of `faults`. */
type MakeService = (clock: VirtualClock, seed: number) => FaultyFetch;

export interface World {
  readonly clients: number;
  /** At a time, if it changes; 0 in a pause. */
  readonly requestsPerSecond: number | ((nowMs: number) => number);
  readonly durationMs: number;
  /** No request begins after that. @default the whole duration */
  readonly untilMs?: number;
  readonly server: FaultScenario | MakeService;
  /** A second service, which `share` of the requests go to. They are not counted. */
  readonly shard?: { readonly share: number; readonly server: FaultScenario };
  /** Each client hedges. */
  readonly hedges?: Omit<HedgeOptions, 'policy'>;
  /** The options of each client. */
  readonly policy: (clock: Clock) => PolicyOptions;
  /** @default 1 */
  readonly seed?: number;
}

/** What became of the requests. */
export interface Result {
  /** By second. */
  readonly asked: number[];
  /** By the second in which it was answered. */
  readonly answered: number[];
  /** By the second in which it was asked for. */
  readonly answeredOf: number[];
  /** The durations of the answered ones, in milliseconds, sorted. */
  readonly durationsMs: number[];
  readonly sends: number;
  /** Requests whose first scheduled attempt was skipped. */
  readonly skippedFirst: number;
  /** How the requests ended: their status, or the name of their error. */
  readonly ends: Readonly<Record<string, number>>;
}

/** All that a moment leads to has happened: a timeout takes several turns. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await turn();
}

/** Runs clients, each with a `createFetch` of its own, against a service, in virtual time. */
export async function run(world: World): Promise<Result> {
  const { clients, requestsPerSecond, durationMs, server, shard, seed = 1, untilMs = durationMs } = world;
  const clock = virtualClock({ startMs: 0 });
  const random = seededRandom(seed);
  const services = [server, ...(shard ? [shard.server] : [])].map((one, at) =>
    typeof one === 'function' ? one(clock, seed + at) : faults({ ...one, clock }, seed + at),
  );
  const skipped = new Set<object>();
  const onEvent = ({ type, request, attempt }: EbbEvent): void => {
    if (type === 'attempt-skipped' && attempt === 0) skipped.add(request);
  };
  const base = ((input: string, init?: RequestInit) =>
    services[input.includes('shard') ? 1 : 0]?.(input, init)) as typeof fetch;
  const fetches = Array.from({ length: clients }, () => {
    const policy = createPolicy({ clock, random, onEvent, ...world.policy(clock) });
    return createFetch(policy, world.hedges === undefined ? base : hedged(base, { policy, ...world.hedges }));
  });
  const seconds = Math.ceil(durationMs / 1_000);
  const zeros = (): number[] => new Array<number>(seconds + 1).fill(0);
  const result = { asked: zeros(), answered: zeros(), answeredOf: zeros(), durationsMs: [] as number[] };
  const ends: Record<string, number> = {};
  const count = (list: number[], atMs: number): void => {
    const at = Math.floor(atMs / 1_000);
    if (at <= seconds) list[at] = (list[at] ?? 0) + 1;
  };
  const call = async (): Promise<void> => {
    const beganMs = clock.now();
    const toShard = shard !== undefined && random() < shard.share;
    const own = fetches[Math.floor(random() * clients)] as typeof fetch;
    if (!toShard) count(result.asked, beganMs);
    let end: string;
    try {
      const response = await own(toShard ? 'http://shard.test/' : 'http://service.test/');
      end = String(response.status);
    } catch (error) {
      end = (error as Error).name;
    }
    if (toShard) return;
    ends[end] = (ends[end] ?? 0) + 1;
    if (end !== '200') return;
    count(result.answered, clock.now());
    count(result.answeredOf, beganMs);
    result.durationsMs.push(clock.now() - beganMs);
  };
  const rateAt = typeof requestsPerSecond === 'function' ? requestsPerSecond : () => requestsPerSecond;
  const next = (): void => {
    if (clock.now() > untilMs) return;
    const rate = rateAt(clock.now());
    if (rate === 0) {
      clock.schedule(next, 1_000);
      return;
    }
    clock.schedule(
      () => {
        void call();
        next();
      },
      (-Math.log(1 - random()) * 1_000) / rate,
    );
  };
  next();
  for (let atMs = clock.nextAtMs; atMs !== undefined && atMs <= durationMs; atMs = clock.nextAtMs) {
    clock.tick(atMs - clock.now());
    await settle();
  }
  result.durationsMs.sort((one, other) => one - other);
  return { ...result, sends: services[0]?.sent ?? 0, skippedFirst: skipped.size, ends };
}

function sum(list: readonly number[], fromMs = 0, untilMs = Number.POSITIVE_INFINITY): number {
  return list.slice(fromMs / 1_000, untilMs / 1_000).reduce((all, one) => all + one, 0);
}

/** Answers that came in a time, for each 100 requests that began in it. */
export function percent({ asked, answered }: Result, fromMs?: number, untilMs?: number): number {
  return (100 * sum(answered, fromMs, untilMs)) / sum(asked, fromMs, untilMs);
}

/** The requests that began in a time and were answered, of 100. */
export function percentOf({ asked, answeredOf }: Result, fromMs?: number, untilMs?: number): number {
  return (100 * sum(answeredOf, fromMs, untilMs)) / sum(asked, fromMs, untilMs);
}

export function sendsPerRequest({ sends, asked }: Result): number {
  return sends / sum(asked);
}

/** The duration that this share of the answers stays below, in milliseconds. */
export function quantile({ durationsMs }: Result, share: number): number {
  return durationsMs[Math.floor(durationsMs.length * share)] ?? 0;
}

/** In seconds after `endMs`: from then on every five seconds have 95 answers for 100 requests. The time until the end if they never have. */
export function recovery(result: Result, endMs: number, untilMs: number): number {
  let recoveredMs = untilMs;
  for (let atMs = endMs; atMs + 5_000 <= untilMs; atMs += 1_000) {
    const isEnough = percent(result, atMs, atMs + 5_000) >= 95;
    recoveredMs = isEnough ? Math.min(recoveredMs, atMs) : untilMs;
  }
  return (recoveredMs - endMs) / 1_000;
}
