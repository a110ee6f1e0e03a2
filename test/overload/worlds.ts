import type { Clock, PolicyOptions } from '@ebb/core';
import type { FaultScenario } from '@ebb/testing/faults';
import { percent, percentOf, quantile, recovery, run, sendsPerRequest } from './world.ts';

/** A quarter of the traffic of the simulator's storm, so that each `createFetch` of 2,500 can be a real one. */
export const REQUESTS = 500;
export const SERVICE_MS = 20;
export const CAPACITY = REQUESTS / 0.9;

/** A service at 90 % of its capacity, with a queue of two seconds. */
export const SERVER: FaultScenario = {
  workers: Math.round((CAPACITY * SERVICE_MS) / 1_000),
  serviceMs: SERVICE_MS,
  maxQueue: Math.round(2 * CAPACITY),
};

export type Numbers = Readonly<Record<string, number>>;
/** The options of one client. Its limits have the clock of the world. */
export type Make = (clock: Clock) => PolicyOptions;

/** Half of the capacity is gone for a minute. */
async function storm(clients: number, policy: Make): Promise<Numbers> {
  const server: FaultScenario = {
    ...SERVER,
    troubles: [{ type: 'brown-out', fromMs: 10_000, untilMs: 70_000, capacityShare: 0.5 }],
  };
  const result = await run({ clients, requestsPerSecond: REQUESTS, durationMs: 130_000, server, policy });
  return {
    overall: percent(result),
    after: percent(result, 70_000, 130_000),
    back: recovery(result, 70_000, 130_000),
    sends: sendsPerRequest(result),
    p99: quantile(result, 0.99),
  };
}

/** No answers for five seconds. */
async function silence(clients: number, policy: Make): Promise<Numbers> {
  const server: FaultScenario = {
    ...SERVER,
    troubles: [{ type: 'outage', answer: 'silence', fromMs: 10_000, untilMs: 15_000 }],
  };
  const result = await run({ clients, requestsPerSecond: REQUESTS, durationMs: 80_000, server, policy });
  return { after: percent(result, 15_000, 75_000), sends: sendsPerRequest(result) };
}

/** A tenth of the requests goes to a shard that fails for a minute: what becomes of the others. */
async function shard(clients: number, policy: Make): Promise<Numbers> {
  const sick: FaultScenario = {
    ...SERVER,
    troubles: [{ type: 'errors', share: 1, fromMs: 10_000, untilMs: 70_000 }],
  };
  const result = await run({
    clients,
    requestsPerSecond: REQUESTS,
    durationMs: 120_000,
    server: SERVER,
    shard: { share: 0.1, server: sick },
    policy,
  });
  return { overall: percentOf(result, 0, 80_000), p90: quantile(result, 0.9) };
}

/** 200 requests at once, the first two attempts of which are answered by a 503. */
async function burst(policy: Make): Promise<Numbers> {
  const server: FaultScenario = {
    workers: 1_000,
    serviceMs: SERVICE_MS,
    troubles: [{ type: 'outage', answer: 'unavailable', fromMs: 0, untilMs: 2_000 }],
  };
  const result = await run({
    clients: 1,
    requestsPerSecond: 20_000,
    durationMs: 60_000,
    server,
    policy,
    untilMs: 10,
  });
  return { overall: percentOf(result) };
}

/** A client that is alone while a service is deployed: the mean of 20 runs, and the worst. */
async function deploy(requestsPerSecond: number, policy: Make): Promise<Numbers> {
  const shares: number[] = [];
  for (let seed = 1; seed <= 20; seed += 1) {
    const server: FaultScenario = {
      workers: 4,
      serviceMs: SERVICE_MS,
      troubles: [{ type: 'outage', fromMs: 30_000, untilMs: 60_000 }],
    };
    const result = await run({ clients: 1, requestsPerSecond, durationMs: 160_000, server, policy, seed });
    shares.push(percentOf(result, 30_000, 120_000));
  }
  return { overall: shares.reduce((sum, one) => sum + one, 0) / shares.length, worst: Math.min(...shares) };
}

/** Slow by nature: log-normal times with a mean of 300 ms, where clients wait a second. */
async function slow(clients: number, policy: Make): Promise<Numbers> {
  const server: FaultScenario = { workers: 60, serviceMs: 300, serviceSpread: 'log-normal' };
  const result = await run({ clients, requestsPerSecond: 100, durationMs: 200_000, server, policy });
  const asked = result.asked.reduce((sum, one) => sum + one, 0);
  return {
    overall: percentOf(result, 0, 160_000),
    skipped: (100 * result.skippedFirst) / asked,
    refused: result.ends.NotSentError ?? 0,
    p99: quantile(result, 0.99),
  };
}

/** As the storm, but with a queue of a tenth of a second: what does not fit in is answered 503 at once. */
async function shedding(clients: number, policy: Make): Promise<Numbers> {
  const server: FaultScenario = {
    ...SERVER,
    maxQueue: Math.round(CAPACITY / 10),
    troubles: [{ type: 'brown-out', fromMs: 10_000, untilMs: 70_000, capacityShare: 0.5 }],
  };
  const result = await run({ clients, requestsPerSecond: REQUESTS, durationMs: 130_000, server, policy });
  return {
    overall: percent(result),
    after: percent(result, 70_000, 130_000),
    sends: sendsPerRequest(result),
  };
}

function withoutTimeout(policy: Make): Make {
  return (clock) => ({ ...policy(clock), attemptTimeoutMs: undefined });
}

/** The worlds by their names: what a policy makes of each. */
export const WORLDS: Readonly<Record<string, (policy: Make) => Promise<Numbers>>> = {
  'storm, 12 clients': (policy) => storm(12, policy),
  'storm, 2,500 clients': (policy) => storm(2_500, policy),
  'storm, 25,000 clients': (policy) => storm(25_000, policy),
  'storm without a timeout, 12 clients': (policy) => storm(12, withoutTimeout(policy)),
  'storm without a timeout, 2,500 clients': (policy) => storm(2_500, withoutTimeout(policy)),
  '5 s of silence, 12 clients': (policy) => silence(12, policy),
  '5 s of silence, 2,500 clients': (policy) => silence(2_500, policy),
  'nine shards of ten, 12 clients': (policy) => shard(12, policy),
  'nine shards of ten, 2,500 clients': (policy) => shard(2_500, policy),
  '200 requests with two 503s each': burst,
  'a deploy of 30 s, a client alone': (policy) => deploy(1, policy),
  'a deploy of 30 s, one request in ten seconds': (policy) => deploy(0.1, policy),
  'slow by nature, 20 clients': (policy) => slow(20, policy),
  'slow by nature, 2,000 clients': (policy) => slow(2_000, policy),
  'a short queue that sheds, 12 clients': (policy) => shedding(12, policy),
  'a short queue that sheds, 2,500 clients': (policy) => shedding(2_500, policy),
};
