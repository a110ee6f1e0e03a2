import {
  createPolicy,
  fullJitter,
  type Outcome,
  type Plugin,
  type Policy,
  type RequestTraits,
} from '@ebb/core';
import { decide, overridePolicy } from '@ebb/core/adapter';
import { deadline, remainingFrom } from '@ebb/core/deadlines';
import { seededRandom, virtualClock } from '@ebb/core/testing';

const REQUESTS_PER_SECOND = 50;

/** How long the first client waits for its answer, and the most that a service gives to a request. */
const PATIENCE_MS = 10_000;

/** The last service holds the work of this time in its queue. With more it answers 503. */
const QUEUE_MS = 500;

/** The time of a message from a client to its service, or back. */
const WAY_MS = 1;

export interface ChainResult {
  /** Requests that the last service has received, for each request of the first client. */
  readonly sends: number;
  /** The share of the requests of the first client that were answered. */
  readonly answered: number;
}

type Serve = (headers: Readonly<Record<string, string>>, answer: (status: number) => void) => void;

const REQUEST: RequestTraits = {
  method: 'GET',
  url: 'https://next.test/',
  replayable: true,
  header: () => undefined,
};

const responseOf = (status: number): Outcome => ({ type: 'response', status, header: () => undefined });

/**
 * Three clients in a chain, each in front of a service, whose last is overloaded: a client, two services that ask the next one, and the last.
 * Each client retries three times, by the decisions of ebb.
 *
 * @param capacity of the last service, as a share of the requests of the first client
 * @param isShared true if the clients and services use `deadline()` and `remainingFrom`
 */
export function chain(capacity: number, isShared: boolean, seed = 1, requests = 3_000): ChainResult {
  const clock = virtualClock({ startMs: 0 });
  const base = createPolicy({
    maxRetries: 3,
    backoff: fullJitter({ baseMs: 100, capMs: 2_000 }),
    random: seededRandom(seed),
    clock,
  });
  const plugin: Plugin = isShared ? deadline() : { name: 'none' };
  let [sends, answered, freeAtMs] = [0, 0, 0];

  const serveLast: Serve = (_, answer) => {
    sends += 1;
    const nowMs = clock.now();
    const tookMs = 1_000 / (capacity * REQUESTS_PER_SECOND);
    if (capacity === 0 || freeAtMs - nowMs > QUEUE_MS) return answer(503);
    freeAtMs = Math.max(nowMs, freeAtMs) + tookMs;
    clock.schedule(() => answer(200), freeAtMs - nowMs);
  };

  function send(policy: Policy, serve: Serve, done: (status: number) => void): void {
    const startedAtMs = clock.now();
    const { totalTimeoutMs = PATIENCE_MS } = policy;
    const call = {
      policy,
      deadline: {
        get leftMs() {
          return startedAtMs + totalTimeoutMs - clock.now();
        },
      },
    } as unknown as Parameters<NonNullable<Plugin['publicHeaders']>>[1];
    let isOver = false;
    const end = (status: number): void => {
      if (!isOver) done(status);
      isOver = true;
    };
    const attempt = (number: number, previousBackoffMs?: number): void => {
      if (isOver) return;
      const next = { attempt: number, request: REQUEST, previous: undefined, leftMs: undefined };
      const made = Object.entries(plugin.publicHeaders?.(next, call) ?? {}).map(([name, value]) => [
        name,
        typeof value === 'function' ? value() : value,
      ]);
      const judge = (status: number): void => {
        if (isOver) return;
        const input = { request: REQUEST, attempt: number, startedAtMs, previousBackoffMs };
        const decision = decide(policy, input, responseOf(status), clock.now());
        if (decision.retry) clock.schedule(() => attempt(number + 1, decision.backoffMs), decision.delayMs);
        else end(status);
      };
      const answer = (status: number): void => void clock.schedule(() => judge(status), WAY_MS);
      clock.schedule(() => serve(Object.fromEntries(made), answer), WAY_MS);
    };
    clock.schedule(() => end(504), totalTimeoutMs);
    attempt(1);
  }

  /** A service that asks the next one. */
  const serviceBefore =
    (next: Serve): Serve =>
    (headers, answer) => {
      const own = isShared
        ? remainingFrom({ headers }, { mostMs: PATIENCE_MS, clock })
        : { totalTimeoutMs: PATIENCE_MS };
      send(overridePolicy(base, own), next, answer);
    };

  const first = serviceBefore(serviceBefore(serveLast));
  const patient = overridePolicy(base, { totalTimeoutMs: PATIENCE_MS });
  for (let index = 0; index < requests; index += 1) {
    clock.schedule(
      () =>
        send(patient, first, (status) => {
          if (status === 200) answered += 1;
        }),
      (index * 1_000) / REQUESTS_PER_SECOND,
    );
  }
  while (clock.pending > 0) clock.tick(1_000);
  return { sends: sends / requests, answered: answered / requests };
}
