import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../test/call-with-limits.ts';
import { ownBudget } from '../../test/own.ts';
import { judge, prepare } from '../../test/steps.ts';
import { constant } from '../backoff/curves.ts';
import type { EbbEvent } from '../events/events.ts';
import type { FailureKind, Outcome } from '../http/outcome.ts';
import type { TokenBucketOptions } from '../limits/bucket/options.ts';
import { quotaBucket } from '../limits/bucket/quota-bucket.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { concurrencyLimit } from '../limits/concurrency/concurrency.ts';
import type { ObservableBucket } from '../limits/limit.ts';
import { perKey } from '../limits/per-key/per-key.ts';
import { countClient } from '../nested/node.ts';
import type { BudgetMethods } from '../policy/contracts.ts';
import type { TokenBucket } from '../policy/limit-options.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { type VirtualClock, virtualClock } from '../testing.ts';
import { Call } from './call.ts';
import { attemptsOf, grantOf } from './history.ts';
import { run } from './run.ts';
import { type Aside, discardMsOf, sendWithin, startCall, type Transport } from './transport.ts';

interface Answer {
  readonly status: number;
  readonly restored?: true;
}

/** A client that always responds with 503, and takes a while to discard it. */
class Failing implements Transport<Answer> {
  sent = 0;
  readonly unsentFor: unknown[] = [];
  readonly #clock: VirtualClock;
  readonly #releasedAfterMs: number;

  constructor(clock: VirtualClock, releasedAfterMs: number) {
    this.#clock = clock;
    this.#releasedAfterMs = releasedAfterMs;
  }
  async send() {
    this.sent += 1;
    return { status: 503 };
  }
  outcome({ status }: Answer) {
    return { type: 'response' as const, status, header: () => undefined };
  }
  failure(error: unknown) {
    return { type: 'failure' as const, kind: 'network' as const, error };
  }
  setAside(settled: unknown, call: Call): Aside {
    const takesMs = Math.min(this.#releasedAfterMs, discardMsOf(call));
    return {
      released: new Promise((resolve) => void this.#clock.schedule(resolve, takesMs)),
      restore: () => ({ ...(settled as Answer), restored: true }),
    };
  }
  unsent(reason: unknown) {
    this.unsentFor.push(reason);
  }
}

/** A budget that counts withdrawals and refunds. */
class Counted implements BudgetMethods {
  balance = 10;
  deposit() {}
  withdraw() {
    this.balance -= 1;
    return true;
  }
  refund() {
    this.balance += 1;
  }
}

function setUp(options: (clock: VirtualClock) => PolicyOptions, releasedAfterMs = 0) {
  const clock = virtualClock({ startMs: 0 });
  const events: EbbEvent[] = [];
  const budget = ownBudget(new Counted());
  const onEvent = (event: EbbEvent): void => void events.push(event);
  const policy = createPolicy({
    clock,
    random: () => 0,
    backoff: constant(100),
    budget,
    onEvent,
    ...options(clock),
  });
  return { clock, events, budget, policy, client: new Failing(clock, releasedAfterMs) };
}

/** Tokens for one attempt, and no more for a long time. */
const oneToken = (clock: VirtualClock, more: object): TokenBucket =>
  tokenBucket({ refillPerSecond: 1e-3, capacity: 1, clock, ...more });

test('a retry keeps the bucket of its key, also if the map has no room for the key any more', async () => {
  const { clock, policy, client } = setUp((clock) => {
    const bucket = perKey(() => tokenBucket({ refillPerSecond: 1_000, clock }), {
      maxKeys: 1,
      idleMs: 1,
      clock,
    });
    clock.schedule(() => bucket.for({ ...REQUEST, url: 'https://other.test/' }).tryAcquire(), 99.9);
    return { bucket, maxRetries: 1 };
  });
  await clock.runUntilSettled(run(startCall(policy, REQUEST), client));
  expect(client.sent).toBe(2);
});

describe('a retry that is refused ends with the response that was there', () => {
  const limited = { attempt: 1, status: 503, reason: 'limited' };
  const late = { attempt: 1, status: 503, reason: 'deadline-exceeded' };
  test.each<[by: string, options: (clock: VirtualClock) => PolicyOptions, last: object]>([
    ['a bucket with a longest wait', (clock) => ({ bucket: oneToken(clock, { maxWaitMs: 10 }) }), limited],
    [
      'a limit whose slot another one has',
      (clock) => {
        const concurrency = concurrencyLimit({ maxConcurrent: 1, clock, maxWaitMs: 10 });
        clock.schedule(() => concurrency.tryAcquire(), 70);
        return { concurrency };
      },
      limited,
    ],
    [
      'the total timeout, in the wait for a slot',
      (clock) => {
        const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
        clock.schedule(() => concurrency.tryAcquire(), 70);
        return { totalTimeoutMs: 150, concurrency };
      },
      late,
    ],
    [
      'the total timeout, in the wait for tokens',
      (clock) => ({ totalTimeoutMs: 500, bucket: tokenBucket({ refillPerSecond: 1, capacity: 1, clock }) }),
      late,
    ],
  ])('%s', async (_, options, last) => {
    const { clock, events, budget, policy, client } = setUp(options, 60);
    const running = run(new Call(policy, REQUEST), client);
    await clock.advance(10_000);
    const answer = await running;
    expect(answer).toEqual({ status: 503, restored: true });
    expect(attemptsOf(answer)).toMatchObject([last]);
    expect(client.sent).toBe(1);
    expect(client.unsentFor).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['attempt', 'retry', 'end']);
    expect(events.at(-1)).toMatchObject({
      reason: (last as { reason: string }).reason,
      outcome: { status: 503 },
    });
    expect(events.at(-1)).toHaveProperty('error.name');
    expect(budget.balance).toBe(10);
    expect(clock.pending).toBe(0);
  });
});

test('no attempt starts after the total timeout, if the connection of the previous response takes the time', async () => {
  const options = { totalTimeoutMs: 250, maxRetries: 1_000, backoff: constant(0) };
  const { clock, events, policy, client } = setUp(() => options, 5_000);
  const running = run(new Call(policy, REQUEST), client);
  await clock.advance(10_000);
  expect(await running).toMatchObject({ status: 503 });
  const startsMs = events.flatMap(({ type, atMs }) => (type === 'attempt' ? [atMs] : []));
  expect(startsMs.length).toBeGreaterThan(1);
  expect(Math.max(...startsMs)).toBeLessThanOrEqual(250);
});

describe('an attempt that was never sent returns its tokens', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

  const tokensIn = (bucket: ObservableBucket): number => Math.round(bucket.stats().tokens * 1e3) / 1e3;

  /** A client with one outcome after the other. Returns the tokens after each. */
  async function meet(
    outcomes: readonly Outcome[],
    bucket: ObservableBucket,
    clock: VirtualClock,
    options: PolicyOptions = {},
  ) {
    const left: number[] = [];
    const onEvent = ({ type }: EbbEvent): void => {
      if (type === 'retry' || type === 'end') left.push(tokensIn(bucket));
    };
    const policy = createPolicy({ clock, bucket, backoff: constant(10), onEvent, ...options });
    const failures = outcomes.values();
    const running = run(new Call(policy, REQUEST), {
      send: () => Promise.reject(refused),
      outcome: () => ({ type: 'response' as const, status: 200, header: () => undefined }),
      failure: () => failures.next().value as Outcome,
      setAside: () => ({ released: Promise.resolve() }),
    });
    const settled = running.catch((error: unknown) => error);
    await clock.advance(1_000);
    return { left, error: await settled };
  }

  const failure = (kind: FailureKind, redirected?: boolean): Outcome => {
    return { type: 'failure', kind, error: refused, redirected };
  };
  const unreached = failure('connect', false);
  /** Five tokens, and no more for a long time. */
  const five = (more: Partial<TokenBucketOptions> = {}) => {
    const clock = virtualClock({ startMs: 0 });
    return { clock, bucket: tokenBucket({ refillPerSecond: 1e-9, capacity: 5, clock, ...more }) };
  };

  test.each<[story: string, outcomes: readonly Outcome[], left: readonly number[]]>([
    ['the first, each retry, and the last', [unreached, unreached, unreached], [10, 10, 10]],
    ['the last only', [failure('network'), failure('timeout'), unreached], [8, 6, 6]],
    [
      'none that may have reached the server',
      [failure('network'), failure('timeout'), failure('unknown')],
      [8, 6, 4],
    ],
    ['none that a redirect may have led to', [failure('connect', true), unreached, unreached], [8, 8, 8]],
    ['none if it is not known which hop failed', [failure('connect'), unreached, unreached], [8, 8, 8]],
  ])('%s', async (_, outcomes, left) => {
    const { clock, bucket } = five({ capacity: 10 });
    const options = { maxRetries: outcomes.length - 1, cost: 2 };
    expect((await meet(outcomes, bucket, clock, options)).left).toEqual(left);
  });

  test('to all limits of the bucket', async () => {
    const clock = virtualClock({ startMs: 0 });
    const limits = {
      minute: { refillPerSecond: 1, capacity: 3, chargeOn: 'completion' as const },
      day: { refillPerSecond: 1e-9, capacity: 3 },
    };
    const { left } = await meet([unreached, unreached], quotaBucket({ limits, clock }), clock, {
      maxRetries: 1,
    });
    expect(left).toEqual([3, 3]);
  });

  test('to the paused origin that it passed', async () => {
    const clock = virtualClock({ startMs: 0 });
    const bucket = tokenBucket({ refillPerSecond: 10, capacity: 5, clock, random: () => 0 });
    const header = (name: string) => (name === 'retry-after' ? '1' : undefined);
    const grant = bucket.tryAcquire();
    if (grant !== undefined) bucket.observe?.({ type: 'response', status: 429, header }, grant, REQUEST);
    const call = new Call(createPolicy({ clock, bucket, maxRetries: 0 }), REQUEST);
    const ready = prepare(call);
    // After a second it starts empty, and 100 ms later it has one token.
    await clock.advance(1_100);
    await ready;
    expect(bucket.tryAcquire(0.001, undefined, REQUEST)).toBeUndefined();
    judge(call, unreached);
    expect(bucket.tryAcquire(1, undefined, REQUEST)).toBeDefined();
  });

  test('at once to the next in the queue', async () => {
    const { clock, bucket } = five({ capacity: 1 });
    const call = new Call(createPolicy({ clock, bucket, maxRetries: 0 }), REQUEST);
    await prepare(call);
    const next = bucket.acquire();
    judge(call, unreached);
    expect(await next).toMatchObject({ waitedMs: 0 });
  });

  test('once: settling afterwards does not count', async () => {
    const { clock, bucket } = five();
    const { error } = await meet([unreached], bucket, clock, { maxRetries: 0 });
    grantOf(error)?.settle(5);
    expect(tokensIn(bucket)).toBe(5);
  });

  test('an aborted wait for the retry returns nothing more', async () => {
    const { clock, bucket } = five();
    const abort = new AbortController();
    const call = new Call(createPolicy({ clock, bucket, backoff: constant(100) }), REQUEST);
    await prepare(call, abort.signal);
    expect(bucket.tryAcquire(3)).toBeDefined();
    judge(call, unreached);
    const waiting = prepare(call, abort.signal);
    abort.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    expect(tokensIn(bucket)).toBe(2);
  });

  test.each([
    ['each of two nested calls to its own bucket', false],
    ['nested calls that share a bucket, once', true],
  ])('%s', async (_, isShared) => {
    countClient();
    countClient();
    const { clock, bucket: own } = five();
    const below = isShared ? own : five({ clock }).bucket;
    const outer = new Call(createPolicy({ clock, bucket: own, maxRetries: 0 }), REQUEST);
    await prepare(outer);
    await sendWithin(outer, async () => {
      const inner = startCall(createPolicy({ clock, bucket: below }), REQUEST);
      await prepare(inner);
      expect([own, below].map(tokensIn)).toEqual([4, 4]);
      expect(judge(inner, unreached)).toMatchObject({ reason: 'outer-client-retries' });
    });
    judge(outer, unreached);
    expect([own, below].map(tokensIn)).toEqual([5, 5]);
  });
});

test('with an aborted signal the client is called without tokens and slot', async () => {
  const { policy, client, events } = setUp((clock) => ({
    bucket: oneToken(clock, {}),
    concurrency: concurrencyLimit({ maxConcurrent: 1, clock }),
  }));
  const own = new TypeError('the client’s own');
  client.send = () => Promise.reject(own);
  await expect(run(new Call(policy, REQUEST), client, AbortSignal.abort())).rejects.toBe(own);
  expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted', attempt: 1 });
  expect((policy.bucket as TokenBucket).tryAcquire()).toBeDefined();
});

describe('an upload that fails before it is sent', () => {
  const error = new Error('broke');

  /** A client whose upload fails when it is told to. */
  class Uploading extends Failing {
    isFollowed = 0;
    fail: (reason: unknown) => void = () => undefined;
    override failure(thrown: unknown) {
      return { type: 'failure' as const, kind: 'network' as const, error: thrown };
    }
    get followUpload() {
      return (failed: (reason: unknown) => void) => {
        this.fail = failed;
        this.isFollowed += 1;
        return () => {
          this.isFollowed -= 1;
        };
      };
    }
  }

  const once = { ...REQUEST, method: 'PUT' };

  /** A call that waits for a token, and its client. */
  function setUp(options: PolicyOptions = {}, signal?: AbortSignal) {
    const clock = virtualClock({ startMs: 0 });
    const ends: EbbEvent[] = [];
    const client = new Uploading(clock, 0);
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, initialTokens: 0, clock });
    const onEvent = (event: EbbEvent): void => void (event.type === 'end' && ends.push(event));
    const policy = createPolicy({ clock, bucket, onEvent, ...options });
    const sent = run(startCall(policy, once), client, signal).catch((thrown: unknown) => thrown);
    return { clock, bucket, client, ends, sent };
  }

  test('ends its wait at once with its error', async () => {
    const { clock, bucket, client, ends, sent } = setUp();
    client.fail(error);
    expect(await sent).toBe(error);
    expect(ends).toMatchObject([{ reason: 'final' }]);
    expect([client.sent, client.isFollowed, client.unsentFor]).toEqual([0, 0, [error]]);
    expect([bucket.stats().waiting, clock.pending]).toEqual([0, 0]);
  });

  test('is not followed once it is sent', async () => {
    const { clock, client, sent } = setUp({ maxRetries: 0 });
    expect(client.isFollowed).toBe(1);
    await clock.advance(1_000);
    await sent;
    expect([client.sent, client.isFollowed]).toEqual([1, 0]);
  });

  test('loses to an abort that came before it', async () => {
    const caller = new AbortController();
    const { client, ends, sent } = setUp({}, caller.signal);
    caller.abort('left');
    // At once: what the client does then needs the body.
    expect(client.isFollowed).toBe(0);
    client.fail(error);
    expect(await sent).toBe('left');
    expect(ends).toMatchObject([{ reason: 'aborted' }]);
  });

  test('loses to a stop that came before it', async () => {
    const stop = new AbortController();
    const { client, ends, sent } = setUp({ stopSignal: stop.signal });
    stop.abort();
    client.fail(error);
    expect(await sent).toMatchObject({ name: 'NotSentError', reason: 'stopped' });
    expect(ends).toMatchObject([{ reason: 'stopped' }]);
  });

  test('wins over the answer before a retry', async () => {
    const { clock, client, ends, sent } = setUp({ backoff: constant(1_000), bucket: undefined });
    await clock.advance(0);
    expect(client.sent).toBe(1);
    client.fail(error);
    expect(await sent).toBe(error);
    expect(ends).toMatchObject([{ reason: 'final' }]);
    expect(attemptsOf(error)).toMatchObject([{ status: 503 }]);
  });

  test('that was to be sent after its time is closed', async () => {
    const { clock, client, sent } = setUp({
      bucket: undefined,
      attemptTimeoutMs: 50,
      maxRetries: 0,
      trustedOrigins: () => true,
      beforeAttempt: () => new Promise(() => undefined),
    });
    await clock.advance(50);
    const thrown = await sent;
    expect(thrown).toMatchObject({ name: 'TimeoutError' });
    expect([client.sent, client.unsentFor]).toEqual([0, [thrown]]);
  });
});
