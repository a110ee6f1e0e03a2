import {
  type Clock,
  type Costs,
  createPolicy,
  NotSentError,
  type Outcome,
  type quotaBucket,
  type tokenBucket,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { ANSWER, ARRIVAL, CHANGE, Events, EXPIRE, LOOK, type SimulationClock } from '../src/engine/events.ts';
import { Measures } from '../src/measure/measures.ts';
import type { ClientBuckets } from '../src/simulation/clients/client-buckets.ts';
import { Clients } from '../src/simulation/clients/clients.ts';
import { Requests } from '../src/simulation/clients/requests.ts';
import { OK } from '../src/simulation/outcomes.ts';

/** Until then the largest debts of the tests are paid. */
const END_MS = 1e7;
const NEVER: number = Number.POSITIVE_INFINITY;

/** A request for tokens that is made so long after the one before. */
export interface Asked {
  readonly gapMs: number;
  readonly retry: boolean;
  readonly maxWaitMs: number;
  /** When it is answered after it was sent, and with what cost; by default at once. */
  readonly answeredInMs?: number;
  readonly spent?: Costs;
}

/** A refusal that asks for a pause. */
export interface Pause {
  readonly gapMs: number;
  readonly seconds: number;
}

const gapMs = fc.oneof(fc.constant(0), fc.nat(50), fc.nat(1_000));
const waitMs = fc.oneof(fc.constant(NEVER), fc.constant(0), fc.nat(500), fc.nat(5_000));

/** Up to forty requests, which also have these fields; with a deadline only if `mayEnd`. */
export function anyRequests<T>(mayEnd: boolean, more?: fc.Arbitrary<T>): fc.Arbitrary<(Asked & T)[]> {
  const asked = fc.record({ gapMs, retry: fc.boolean(), maxWaitMs: mayEnd ? waitMs : fc.constant(NEVER) });
  const one = fc.tuple(asked, more ?? fc.constant({} as T)).map(([own, others]) => ({ ...own, ...others }));
  return fc.array(one, { minLength: 1, maxLength: 40, size: 'max' });
}

export const anyPauses: fc.Arbitrary<Pause[]> = fc.array(
  fc.record({ gapMs, seconds: fc.integer({ min: 1, max: 5 }) }),
  { minLength: 1, maxLength: 5 },
);

/** What ends a wait of a bucket. */
export const anyRules = {
  maxQueue: fc.constantFrom(0, 3, 1_000),
  maxWaitMs: fc.constantFrom(undefined, undefined, 0, 300, 2_000),
  nonConforming: fc.constantFrom('delay', 'delay', 'delay', 'reject', 'mark'),
} as const;

/** What can happen to a request, and when. */
const fate = (what: 'granted' | 'marked' | 'refused', atMs: number): string =>
  `${what} at ${atMs.toFixed(2)}`;

function tooMany(seconds: number): Outcome {
  return {
    type: 'response',
    status: 429,
    header: (name) => (name === 'retry-after' ? String(seconds) : undefined),
  };
}

type Bucket = ReturnType<typeof tokenBucket> | ReturnType<typeof quotaBucket>;

/** What a bucket of core does with requests of this cost, each of which settles with what it has spent. */
export async function fatesInCore(
  make: (environment: { clock: Clock; random: () => number }) => Bucket,
  cost: number | Costs,
  asked: readonly Asked[],
  pauses: readonly Pause[],
  spentBy: (asked: Asked) => number | Costs = () => cost,
): Promise<readonly string[]> {
  const clock = virtualClock({ startMs: 0 });
  const bucket = make({ clock, random: () => 0.5 });
  const fates = asked.map(() => 'waits');
  const ask = async (one: Asked, at: number): Promise<void> => {
    const { retry, answeredInMs = 0 } = one;
    const maxWaitMs = one.maxWaitMs === NEVER ? undefined : one.maxWaitMs;
    try {
      const grant = await bucket.acquire({ cost, retry, maxWaitMs } as never);
      clock.schedule(() => grant.settle(spentBy(one) as never), answeredInMs);
      fates[at] = fate(grant.conforming ? 'granted' : 'marked', grant.grantedAtMs);
    } catch (error) {
      if (!(error instanceof NotSentError)) throw error;
      fates[at] = fate('refused', clock.now());
    }
  };
  let atMs = 0;
  for (const [at, one] of asked.entries()) {
    atMs += one.gapMs;
    clock.schedule(() => void ask(one, at), atMs);
  }
  atMs = 0;
  for (const { gapMs, seconds } of pauses) {
    atMs += gapMs;
    const grant = { cost, waitedMs: 0, grantedAtMs: atMs, conforming: true, settle() {} };
    clock.schedule(() => void bucket.observe?.(tooMany(seconds), grant), atMs);
  }
  await clock.advance(END_MS);
  return fates;
}

/** Requests that note what happens to them. */
class WatchedRequests extends Requests {
  readonly fates: string[] = [];
  readonly #indices = new Map<number, number>();
  readonly #clock: SimulationClock;

  constructor(clock: SimulationClock) {
    super();
    this.#clock = clock;
  }

  watch(request: number): void {
    this.#indices.set(request, this.fates.length);
    this.fates.push('waits');
  }

  indexOf(request: number): number {
    return this.#indices.get(request) as number;
  }

  note(request: number, what: 'granted' | 'marked' | 'refused'): void {
    const index = this.indexOf(request);
    if (this.fates[index] === 'waits') this.fates[index] = fate(what, this.#clock.nowMs);
  }

  override end(request: number): void {
    this.note(request, 'refused');
    super.end(request);
  }
}

/** What the lines of one client do with requests, in the order in which they were made. */
export function fatesInLines(
  clock: SimulationClock,
  buckets: ClientBuckets,
  asked: readonly Asked[],
  pauses: readonly Pause[],
): readonly string[] {
  const requests = new WatchedRequests(clock);
  const events = new Events(clock, 100, (subject) => requests.touch(subject));
  const policy = createPolicy({ maxRetries: 0, clock });
  // The simulator counts a marked request as sent, and does not keep the mark.
  const isMarked = buckets.rules.nonConforming === 'mark';
  let tokensTaken = false;
  const { take } = buckets.tokens;
  buckets.tokens.take = (...given) => (tokensTaken = take(...given));
  let maxWaitMs = NEVER;
  const fleet = {
    policyOf: () => policy,
    buckets,
    get maxWaitMs() {
      return maxWaitMs;
    },
    custom: undefined,
  };
  const clients = new Clients(1, fleet, requests, events, new Measures(1), {
    send(request, stamp) {
      requests.note(request, isMarked && !tokensTaken ? 'marked' : 'granted');
      const { answeredInMs } = asked[requests.indexOf(request)] as Asked;
      if (answeredInMs === undefined) clients.learn(request, stamp, OK);
      else events.add(answeredInMs, ANSWER, request, stamp, OK);
    },
    spent: (request) => asked[requests.indexOf(request)]?.spent,
    ended() {},
  });
  const schedule = (kind: number, gaps: readonly { readonly gapMs: number }[]): void => {
    let atMs = 0;
    gaps.forEach(({ gapMs }, index) => {
      atMs += gapMs;
      events.add(atMs, kind, index);
    });
  };
  schedule(ARRIVAL, asked);
  schedule(CHANGE, pauses);
  while (events.nextAtMs < END_MS) {
    events.next();
    const { kind, subject, stamp } = events;
    if (kind === LOOK) clients.look(subject);
    else if (kind === EXPIRE) clients.expire(subject, stamp);
    else if (kind === ANSWER) clients.learn(subject, stamp, OK);
    else if (kind === CHANGE) {
      buckets.tokens.observe(0, -1, tooMany(pauses[subject]?.seconds ?? 0), clock.nowMs, 0, undefined);
    } else {
      const { retry, maxWaitMs: ownMaxWaitMs } = asked[subject] as Asked;
      const request = requests.begin(0, clock.nowMs);
      requests.watch(request);
      if (retry) requests.retry(request, 0);
      maxWaitMs = ownMaxWaitMs;
      clients.ready(request);
    }
  }
  return requests.fates;
}
