import { createPolicy, ThrottledError, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ARRIVAL, Events, EXPIRE, LOOK } from '../../engine/events.ts';
import { SimulationClock } from '../../engine/simulation-clock.ts';
import { Measures } from '../../measure/measures.ts';
import { OK } from '../outcomes.ts';
import { clientBuckets } from './client-buckets.ts';
import { Clients } from './clients.ts';
import { Requests } from './requests.ts';

const ask = fc.record({
  gapMs: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(1_000)),
  retry: fc.boolean(),
  patienceMs: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.constant(0), fc.nat(500), fc.nat(5_000)),
});

const trace = fc.record({
  options: fc.record({
    refillPerSecond: fc.constantFrom(1, 3, 10, 100),
    capacity: fc.constantFrom(1, 2, 5),
    agingMs: fc.constantFrom(100, 1_000, 60_000),
    maxQueue: fc.constantFrom(3, 1_000),
    refillIntervalMs: fc.constantFrom(0, 0, 200),
  }),
  /** Whether the buckets are numbers, or those of core. */
  feedback: fc.constantFrom(undefined, false as const),
  asks: fc.array(ask, { minLength: 1, maxLength: 40, size: 'max' }),
});
type Trace = typeof trace extends fc.Arbitrary<infer T> ? T : never;

/** For each who asked when its tokens came, or when it was turned away. */
type Fates = readonly string[];

const fate = (what: 'granted' | 'refused', atMs: number): string => `${what} at ${atMs.toFixed(2)}`;

async function inCore({ options, asks }: Trace): Promise<Fates> {
  const clock = virtualClock();
  const bucket = tokenBucket({ ...options, clock });
  const fates: Promise<string>[] = [];
  let atMs = 0;
  for (const { gapMs, retry, patienceMs } of asks) {
    atMs += gapMs;
    clock.schedule(() => {
      const maxWaitMs = patienceMs === Number.POSITIVE_INFINITY ? undefined : patienceMs;
      const asked = bucket.acquire({ retry, maxWaitMs });
      fates.push(
        asked.then(
          ({ grantedAtMs }) => fate('granted', grantedAtMs),
          (error) => {
            if (!(error instanceof ThrottledError)) throw error;
            return fate('refused', clock.now());
          },
        ),
      );
    }, atMs);
  }
  await clock.advance(1e6);
  return Promise.all(fates);
}

/** Notes the end of each, and what became of it. */
class WatchedRequests extends Requests {
  readonly fates: string[] = [];
  readonly #asked = new Map<number, number>();
  readonly #clock: SimulationClock;

  constructor(clock: SimulationClock) {
    super();
    this.#clock = clock;
  }

  watch(request: number): void {
    this.#asked.set(request, this.fates.length);
    this.fates.push('waits');
  }

  note(request: number, what: 'granted' | 'refused'): void {
    const index = this.#asked.get(request) as number;
    if (this.fates[index] === 'waits') this.fates[index] = fate(what, this.#clock.nowMs);
  }

  override end(request: number): void {
    this.note(request, 'refused');
    super.end(request);
  }
}

function inSimulator({ options, feedback, asks }: Trace): Fates {
  const clock = new SimulationClock();
  const requests = new WatchedRequests(clock);
  const events = new Events(clock, 100, (subject) => requests.touch(subject));
  const environment = { clock, random: () => 0.5 };
  const policy = createPolicy({ maxRetries: 0, clock });
  let maxWaitMs = Number.POSITIVE_INFINITY;
  const fleet = {
    policyOf: () => policy,
    buckets: clientBuckets({ tokenBucket: { ...options, feedback } }, 1, environment),
    cost: 1,
    get maxWaitMs() {
      return maxWaitMs;
    },
    custom: undefined,
  };
  const clients = new Clients(1, fleet, requests, events, new Measures(1), {
    send(request, stamp) {
      requests.note(request, 'granted');
      clients.learn(request, stamp, OK);
    },
    ended() {},
  });
  let atMs = 0;
  asks.forEach(({ gapMs }, index) => {
    atMs += gapMs;
    events.add(atMs, ARRIVAL, index);
  });
  while (events.nextAtMs < 1e6) {
    events.next();
    const { kind, subject } = events;
    if (kind === LOOK) clients.look(subject);
    else if (kind === EXPIRE) clients.expire(subject, events.stamp);
    else if (kind === ARRIVAL) {
      const { retry, patienceMs } = asks[subject] as Trace['asks'][number];
      const request = requests.begin(0, clock.nowMs);
      requests.watch(request);
      if (retry) requests.retry(request, 0);
      maxWaitMs = patienceMs;
      clients.ready(request);
    }
  }
  return requests.fates;
}

test('a line for tokens treats every request as the bucket of core does', async () => {
  await fc.assert(
    fc.asyncProperty(trace, async (trace) => {
      expect(inSimulator(trace)).toEqual(await inCore(trace));
    }),
    { numRuns: 500 },
  );
});
