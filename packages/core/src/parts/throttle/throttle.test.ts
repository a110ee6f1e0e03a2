import { beforeEach, describe, expect, test, vi } from 'vitest';
import { constant } from '../../backoff/curves.ts';
import { attemptsOf } from '../../call/history.ts';
import { Permits } from '../../call/permits.ts';
import type { FailureKind, Verdict } from '../../http/outcome.ts';
import type { EbbEvent } from '../../news/events.ts';
import type { Limit, Permit } from '../../policy/limit.ts';
import type { PolicyOptions } from '../../policy/options.ts';
import { createPolicy } from '../../policy/policy.ts';
import { type AttemptContext, retry } from '../../retry/retry.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from '../bucket/token-bucket.ts';
import { retryBudget } from '../budget/budget.ts';
import { concurrencyLimit } from '../concurrency/concurrency.ts';
import { perKey } from '../per-key/per-key.ts';
import type { ThrottleRule } from './rule.ts';
import { isBad, throttle } from './throttle.ts';

/** An error with a status, as SDKs throw them. */
class Status extends Error {
  readonly status: number;
  constructor(status: number) {
    super(String(status));
    this.status = status;
  }
}

/** The clock of {@link setUp}, for the limits of a test. */
let time = virtualClock({ startMs: 1e6 });
beforeEach(() => {
  time = virtualClock({ startMs: 1e6 });
});

function setUp(options: PolicyOptions = {}, clock = time) {
  const own = throttle();
  const events: EbbEvent[] = [];
  const policy = createPolicy({
    clock,
    random: () => 0,
    backoff: constant(1_000),
    throttle: own,
    onEvent: (event) => events.push(event),
    ...options,
  });
  let sent = 0;
  const call = (work: (context: AttemptContext) => unknown): Promise<unknown> => {
    const promise = retry(async (context) => {
      sent += 1;
      return work(context);
    }, policy);
    promise.catch(() => undefined);
    return promise;
  };
  const settled = (work: (context: AttemptContext) => unknown): Promise<unknown> =>
    clock.runUntilSettled(call(work).catch((error: unknown) => error));
  const fails = (): never => {
    throw new Status(503);
  };
  return {
    clock,
    own,
    policy,
    call,
    settled,
    fails,
    sent: () => sent,
    told: (type: EbbEvent['type']) => events.filter((event) => event.type === type),
    /** So many seconds of requests that fail at once. */
    async down(seconds: number) {
      for (let at = 0; at < seconds; at += 1) {
        call(fails);
        await clock.advance(1_000);
      }
    },
  };
}

/** Has a limit that skips each chance while it is told to. */
class Skipping {
  isSkipping: boolean;
  readonly limit: Limit = {
    name: 'own',
    take: () => (this.isSkipping ? { skip: true } : undefined),
  };

  constructor(isSkipping: boolean) {
    this.isSkipping = isSkipping;
  }
}

const reasons = (result: unknown): unknown[] =>
  attemptsOf(result).map(({ attempt, reason }) => [attempt, reason]);

test('released by hand, it is closed whatever has failed', async () => {
  const { own, down } = setUp();
  await down(5);
  expect(own.state).not.toBe('closed');
  own.release();
  expect([own.state, own.share]).toEqual(['closed', 1]);
});

describe('held by hand', () => {
  test('nothing is sent, and a request goes from chance to chance until it has none left', async () => {
    const { clock, own, settled, sent, told } = setUp({ maxRetries: 2 });
    own.hold();
    expect([own.state, own.share]).toEqual(['open', 0]);
    const error = await settled(() => 'never');
    expect(error).toMatchObject({ name: 'NotSentError', reason: 'overload' });
    expect([sent(), clock.elapsedMs]).toEqual([0, 2_000]);
    expect(told('skip')).toMatchObject([
      { attempt: 0, delayMs: 1_000 },
      { attempt: 0, delayMs: 1_000 },
      { attempt: 0, delayMs: undefined },
    ]);
    expect(told('end')).toMatchObject([{ reason: 'overload', error: { reason: 'overload' } }]);
    expect(reasons(error)).toEqual([
      [1, 'skipped'],
      [1, 'skipped'],
      [1, 'overload'],
    ]);
  });

  test('and released between two chances, the request is sent at the next', async () => {
    const { clock, own, call, told } = setUp();
    own.hold();
    const answer = call(() => 'sent');
    await clock.advance(1_500);
    own.release();
    await clock.advance(500);
    const value = await answer;
    expect([value, own.state, own.share]).toEqual(['sent', 'closed', 1]);
    expect(told('share')).toMatchObject([
      { state: 'open', share: 0 },
      { state: 'closed', share: 1 },
    ]);
  });

  test('a retry ends with the error that was there', async () => {
    const { own, settled, told } = setUp({ maxRetries: 1 });
    const error = await settled(() => {
      own.hold();
      throw new Status(503);
    });
    expect(error).toBeInstanceOf(Status);
    expect(reasons(error)).toEqual([
      [1, 'transient'],
      [2, 'overload'],
    ]);
    expect(told('end')).toMatchObject([{ reason: 'overload', outcome: { status: 503 } }]);
  });

  test('with `maxRetries: 0` there is one chance', async () => {
    const { clock, own, settled } = setUp({ maxRetries: 0 });
    own.hold();
    expect(await settled(() => 1)).toMatchObject({ reason: 'overload' });
    expect(clock.elapsedMs).toBe(0);
  });

  test('no chance is waited for that comes after the total timeout', async () => {
    const { clock, own, settled } = setUp({ totalTimeoutMs: 2_500 });
    own.hold();
    expect(await settled(() => 1)).toMatchObject({ reason: 'overload' });
    expect(clock.elapsedMs).toBe(2_000);
  });

  test('a body that can be sent once does not end the chances', async () => {
    const own = throttle();
    const { clock, call } = setUp({ throttle: own, methods: [] });
    own.hold();
    const answer = call(() => 'sent');
    await clock.advance(500);
    own.release();
    await clock.advance(1_000);
    expect(await answer).toBe('sent');
  });

  test('an abort ends the wait for the next chance', async () => {
    const { clock, own, policy, told } = setUp();
    own.hold();
    const controller = new AbortController();
    const answer = retry(() => 1, policy, { signal: controller.signal });
    const failed = expect(answer).rejects.toBe('enough');
    await clock.advance(500);
    controller.abort('enough');
    await failed;
    expect([clock.pending, told('end')]).toMatchObject([0, [{ reason: 'aborted' }]]);
  });

  test('a `stopSignal` ends it as well', async () => {
    const stop = new AbortController();
    const { clock, own, call } = setUp({ stopSignal: stop.signal });
    own.hold();
    const failed = expect(call(() => 1)).rejects.toMatchObject({ reason: 'stopped' });
    await clock.advance(500);
    stop.abort();
    await failed;
  });

  test("with `whenSkipped: 'fail'` the first skipped chance ends the request", async () => {
    const own = throttle({ whenSkipped: 'fail' });
    const { clock, settled, told } = setUp({ throttle: own });
    own.hold();
    const error = await settled(() => 1);
    expect(error).toMatchObject({ reason: 'overload' });
    expect([clock.elapsedMs, reasons(error)]).toEqual([0, [[1, 'overload']]]);
    expect(told('skip')).toMatchObject([{ delayMs: undefined }]);
  });
});

describe('a skipped chance holds nothing', () => {
  test('slots and tokens are not asked for', async () => {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.001, clock: time });
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock: time });
    const { clock, own, call } = setUp({ bucket, concurrency });
    const slot = concurrency.tryAcquire();
    own.hold();
    call(() => 1);
    await clock.advance(500);
    expect([bucket.stats().tokens, concurrency.stats().waiting]).toEqual([1, 0]);
    slot?.release();
  });

  test('what other limits took goes back, and so does what the throttle took', async () => {
    const bucket = tokenBucket({ capacity: 2, refillPerSecond: 1e-6, clock: time });
    const last = new Skipping(true);
    const { clock, call } = setUp({ limits: [bucket, last.limit] });
    const answer = call(() => 'sent');
    await clock.advance(500);
    expect(bucket.stats().tokens).toBeCloseTo(2);
    last.isSkipping = false;
    await clock.advance(500);
    expect([await answer, Math.round(bucket.stats().tokens)]).toEqual(['sent', 1]);
  });

  test('a retry that the throttle has paid goes back, if another limit skips it', async () => {
    const last = new Skipping(false);
    const { clock, call, fails, sent } = setUp({ limits: [last.limit], maxRetries: 3 });
    call(fails);
    await clock.advance(500);
    last.isSkipping = true;
    await clock.advance(3_000);
    expect(sent()).toBe(1);
    last.isSkipping = false;
    call(fails);
    await clock.advance(3_500);
    // One retry, and not none.
    expect(sent()).toBe(1 + 2);
  });

  test('the retry of a budget goes back, and is asked for again', async () => {
    const budget = retryBudget({ reserve: 3, clock: time });
    const { clock, own, call } = setUp({ budget });
    let calls = 0;
    const answer = call(() => {
      calls += 1;
      if (calls > 1) return 'sent';
      own.hold();
      throw new Status(503);
    });
    await clock.advance(500);
    // Taken for the retry that is planned.
    expect(budget.balance).toBe(2);
    const balances: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      await clock.advance(1_000);
      balances.push(budget.balance);
    }
    expect(balances).toEqual([2, 2, 2]);
    own.release();
    await clock.advance(1_000);
    expect([await answer, budget.balance]).toEqual(['sent', 2]);
  });

  test('a retry whose budget is spent meanwhile ends with what was there', async () => {
    const budget = retryBudget({ reserve: 1, clock: time });
    const own = throttle();
    const { clock, call } = setUp({ budget, throttle: own });
    const answer = call(() => {
      own.hold();
      throw new Status(503);
    });
    const failed = expect(answer).rejects.toBeInstanceOf(Status);
    await clock.advance(999);
    const refund = budget.refund?.bind(budget);
    // Another request takes what goes back.
    Object.assign(budget, {
      refund() {
        refund?.();
        budget.withdraw();
      },
    });
    await clock.advance(10);
    await failed;
  });

  test('hooks make the headers anew for the next chance', async () => {
    let asked = 0;
    const beforeAttempt = () => {
      asked += 1;
      return undefined;
    };
    const { clock, own, call } = setUp({ beforeAttempt });
    own.hold();
    const answer = call(() => asked);
    await clock.advance(1_500);
    own.release();
    await clock.advance(500);
    expect(await answer).toBe(3);
  });
});

describe('what is learned', () => {
  test('a service that is down opens it, and one that answers closes it', async () => {
    const { clock, own, down, call, sent, told } = setUp();
    await down(20);
    expect([own.state, own.share]).toEqual(['open', 0.3]);
    const before = sent();
    await down(10);
    // New requests are skipped, and the credit of retries is spent.
    expect(sent() - before).toBeLessThan(20);
    for (let at = 0; at < 120; at += 1) {
      call(() => 'up');
      await clock.advance(1_000);
    }
    expect([own.state, own.share]).toEqual(['closed', 1]);
    const states = told('share').map((event) => event.type === 'share' && event.state);
    expect(states[0]).toBe('half-open');
    expect(states).toContain('open');
    expect(states.at(-1)).toBe('closed');
    for (const [at, state] of states.entries()) expect(state).not.toBe(states[at - 1]);
  });

  test.each<[what: string, work: () => unknown, isBad: boolean]>([
    ['a 200', () => 1, false],
    [
      'a 404',
      () => {
        throw new Status(404);
      },
      false,
    ],
    [
      'a 429',
      () => {
        throw new Status(429);
      },
      true,
    ],
    [
      'a 503',
      () => {
        throw new Status(503);
      },
      true,
    ],
    [
      'an error of the function',
      () => {
        throw new Error('lost');
      },
      true,
    ],
    ['a timeout', () => new Promise(() => undefined), true],
  ])('%s', async (_, work, isBad) => {
    const { clock, own, call } = setUp({ maxRetries: 0, attemptTimeoutMs: 900 });
    for (let at = 0; at < 6; at += 1) {
      call(work);
      await clock.advance(1_000);
    }
    expect(own.share < 1).toBe(isBad);
  });

  const lost = new TypeError('lost');

  test.each<[string, FailureKind, url: string, isBad: boolean | undefined]>([
    ['a mistake of the program, which a client throws', 'unknown', 'https://a.test/', undefined],
    ['an error of a function', 'unknown', '', true],
    ['an abort', 'aborted', 'https://a.test/', undefined],
    ['no connection', 'connect', 'https://a.test/', true],
    ['a connection that broke', 'network', 'https://a.test/', true],
    ['a timeout', 'timeout', 'https://a.test/', true],
  ])('%s is bad, or says nothing: %s of %j is %s', (_, kind, url, bad) => {
    const request = { method: 'GET', url, replayable: true, header: () => undefined };
    expect(isBad({ type: 'failure', kind, error: lost }, request)).toBe(bad);
  });

  test.each<[verdict: Verdict | undefined, status: number, isBad: boolean]>([
    ['refused', 200, true],
    ['transient', 200, true],
    ['final', 503, false],
    ['success', 503, false],
    [undefined, 503, true],
    [undefined, 429, true],
    [undefined, 404, false],
    [undefined, 200, false],
  ])('a body that was judged %s, of a response with %i: %s', (verdict, status, bad) => {
    const request = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
    const outcome = { type: 'response', status, header: () => undefined, judgement: verdict && { verdict } };
    expect(isBad(outcome as never, request)).toBe(bad);
  });

  /** What the rule of a throttle is asked and told while one call is made. */
  async function heard(options: PolicyOptions, works: readonly (() => unknown)[]) {
    const { clock, own, call } = setUp(options);
    const startMs = clock.now();
    const { rule } = Object(own) as { readonly rule: ThrottleRule };
    const [take, learn, giveBack] = (['take', 'learn', 'giveBack'] as const).map((name) =>
      vi.spyOn(rule, name),
    );
    const [...left] = works;
    await clock.runUntilSettled(call(() => left.shift()?.()).catch(() => undefined));
    return {
      take: take?.mock.calls.map(([nowMs, occasion]) => [nowMs && nowMs - startMs, occasion]),
      learn: learn?.mock.calls.map(([nowMs, ...others]) => [(nowMs as number) - startMs, ...others]),
      giveBack: giveBack?.mock.calls.length,
    };
  }

  const after =
    (ms: number, end: () => unknown = () => 1) =>
    async () => {
      await time.sleep(ms);
      return end();
    };
  const failing = (): never => {
    throw new Status(503);
  };

  test.each<
    [what: string, options: () => PolicyOptions, works: (() => unknown)[], take: unknown[], learn: unknown[]]
  >([
    [
      'an answer: how long it took, as a share of the timeout',
      () => ({ attemptTimeoutMs: 1_000 }),
      [after(250)],
      [[0, 'first']],
      [[250, false, false, 0.25]],
    ],
    [
      'an answer without a timeout is never late, and no clock is read for it',
      () => ({}),
      [after(250)],
      [[0, 'first']],
      [[250, false, false, 0]],
    ],
    [
      'the answer to a retry, after a failure',
      () => ({ attemptTimeoutMs: 1_000 }),
      [after(100, failing), after(500)],
      [
        [0, 'first'],
        [1_100, 'after-failure'],
      ],
      [
        [100, true, false, 0],
        [1_600, false, true, 0.5],
      ],
    ],
    [
      'the answer to a retry without a timeout, at its time',
      () => ({}),
      [after(100, failing), after(500)],
      [
        [0, 'first'],
        [1_100, 'after-failure'],
      ],
      [
        [100, true, false, 0],
        [1_600, false, true, 0],
      ],
    ],
    [
      'a budget has allowed the retry: the rule is not asked',
      () => ({ budget: retryBudget({ reserve: 9, clock: time }), attemptTimeoutMs: 1_000 }),
      [after(100, failing), after(500)],
      [[0, 'first']],
      [
        [100, true, false, 0],
        [1_600, false, true, 0.5],
      ],
    ],
    [
      'a timeout, after which a retry costs more',
      () => ({ attemptTimeoutMs: 1_000, maxRetries: 1 }),
      [after(1_500)],
      [
        [0, 'first'],
        [2_000, 'after-timeout'],
      ],
      [[1_000, true, false, 0]],
    ],
    [
      'nothing of what says nothing',
      () => ({ attemptTimeoutMs: 1_000, classify: () => 'final' }),
      [
        after(100, () => {
          throw new DOMException('left', 'AbortError');
        }),
      ],
      [[0, 'first']],
      [],
    ],
    [
      'a failed retry',
      () => ({ maxRetries: 1 }),
      [after(100, failing), after(100, failing)],
      [
        [0, 'first'],
        [1_100, 'after-failure'],
      ],
      [
        [100, true, false, 0],
        [1_200, true, true, 0],
      ],
    ],
  ])('%s', async (_, optionsOf, works, take, learn) => {
    const options = optionsOf();
    const got = await heard(options, works);
    const [first, ...others] = got.take as [[number, string]];
    // While all is calm the time of a first attempt without a timeout is not asked for.
    expect([[options.attemptTimeoutMs ? first[0] : 0, first[1]], ...others]).toEqual(take);
    expect(got.learn).toEqual(learn);
    expect(got.giveBack).toBe(0);
  });

  test('in trouble the rule is asked with the time, also without a timeout', async () => {
    const { clock, own, call, down } = setUp({ maxRetries: 0 });
    await down(5);
    const take = vi.spyOn(Object(own).rule as ThrottleRule, 'take');
    await clock.runUntilSettled(call(() => 1).catch(() => undefined));
    expect(take.mock.calls).toEqual([[clock.now(), 'first']]);
  });

  test('an error of the program in one attempt takes no chance for good', () => {
    const own = throttle();
    const request = { method: 'GET', url: 'https://a.test/' };
    const call = { isInner: false, attempt: 0, request, policy: { clock: time } };
    const { rule } = Object(own) as { readonly rule: ThrottleRule };
    for (let at = 0; at < 3; at += 1) rule.learn(time.now() + 1_000 * at, true, false, 0);
    rule.ask();
    rule.ask();
    const permits = new Permits(call as never);
    permits.start(own.limit.limit);
    permits.take();
    permits.settle({ type: 'failure', kind: 'unknown', error: undefined });
    const before = vi.spyOn(rule, 'giveBack');
    permits.end('final');
    expect(before).not.toHaveBeenCalled();
  });

  test('`perKey` may forget a throttle, but not one that is held', () => {
    const own = throttle();
    expect([own.limit.limit.name, own.isIdle]).toEqual(['throttle', true]);
    own.hold();
    expect(own.isIdle).toBe(false);
  });

  test('nothing by an aborted request, and a failure by one that the total timeout has ended', async () => {
    const { clock, own, policy } = setUp({ maxRetries: 0 });
    const silent = () => new Promise(() => undefined);
    for (let at = 0; at < 6; at += 1) {
      const controller = new AbortController();
      retry(silent, policy, { signal: controller.signal }).catch(() => undefined);
      await clock.advance(1_000);
      controller.abort();
      await clock.advance(0);
    }
    expect(own.share).toBe(1);
    const other = setUp({ totalTimeoutMs: 900 });
    for (let at = 0; at < 6; at += 1) {
      other.call(silent);
      await other.clock.advance(1_000);
    }
    expect(other.own.share).toBeLessThan(1);
  });

  test('retries that fail count as well', async () => {
    const { clock, own, call, fails, sent } = setUp({ budget: retryBudget({ reserve: 2, clock: time }) });
    call(fails);
    await clock.advance(3_000);
    expect([sent(), own.share, own.state]).toEqual([3, 0.7, 'half-open']);
  });

  test.each([
    [1_000, 0.7 - 1.3 * 0.2],
    [undefined, 1],
  ])(
    'an answer after 600 ms in trouble, with a timeout of %s ms: the share becomes %f',
    async (attemptTimeoutMs, share) => {
      const { clock, own, call, down } = setUp({ maxRetries: 0, attemptTimeoutMs });
      await down(4);
      expect(own.share).toBe(0.7);
      for (let at = 0; at < 2; at += 1) call(() => clock.sleep(600));
      await clock.advance(800);
      expect(own.share).toBeCloseTo(share);
    },
  );

  test('a retry after a timeout must be paid by answers, a retry after a 503 by the credit', async () => {
    const { clock, call, sent } = setUp({ attemptTimeoutMs: 500, maxRetries: 1 });
    call(() => new Promise(() => undefined));
    await clock.advance(3_000);
    expect(sent()).toBe(1);
    for (let at = 0; at < 100; at += 1) call(() => 'up');
    await clock.advance(1_000);
    call(() => new Promise(() => undefined));
    await clock.advance(3_000);
    expect(sent()).toBe(1 + 100 + 2);
    const other = setUp({ maxRetries: 1 });
    other.call(other.fails);
    await other.clock.advance(3_000);
    expect(other.sent()).toBe(2);
  });

  test.each<[string, () => unknown, { failures: string[]; retriesPaidBy: string }]>([
    [
      '503s',
      () => {
        throw new Status(503);
      },
      { failures: ['503', '503', '503'], retriesPaidBy: 'credit' },
    ],
    [
      'timeouts',
      () => new Promise(() => undefined),
      { failures: ['timeout', 'timeout', 'timeout'], retriesPaidBy: 'purse' },
    ],
  ])('an event says what has lowered the share, and what pays for retries: %s', async (_, work, told) => {
    const world = setUp({ maxRetries: 0, attemptTimeoutMs: 900 });
    for (let at = 0; at < 6; at += 1) {
      world.call(at === 0 ? () => Promise.reject(new Error('lost')) : work);
      await world.clock.advance(1_000);
      if (at === 0) world.call(() => 'up');
    }
    expect(world.told('share')[0]).toMatchObject({ state: 'half-open', ...told });
  });

  test('or that a budget pays for them', async () => {
    const { down, told } = setUp({ budget: retryBudget({ clock: time }) });
    await down(4);
    expect(told('share')[0]).toMatchObject({ retriesPaidBy: 'budget' });
  });

  test('nothing by an attempt whose hook takes too long', async () => {
    const { clock, own, call } = setUp({
      maxRetries: 0,
      attemptTimeoutMs: 900,
      beforeAttempt: () => new Promise<undefined>(() => undefined),
    });
    for (let at = 0; at < 6; at += 1) {
      call(() => 1);
      await clock.advance(1_000);
    }
    expect(own.share).toBe(1);
  });

  test('an attempt whose body factory takes too long was not sent: its chance goes back once, and as what it was', () => {
    const own = throttle();
    const call = { isInner: false, attempt: 0, policy: { clock: time, attemptTimeoutMs: 900 } };
    const permits = new Permits(call as never);
    permits.start(own.limit.limit);
    permits.take();
    permits.cancel();
    permits.settle({ type: 'failure', kind: 'timeout', error: undefined });
    permits.end('final');
    expect(Object(own).rule.take(time.now(), 'after-timeout')).toBe(false);
  });

  test('a call that ends before its chance is used gives it back', () => {
    const own = throttle();
    const call = { isInner: false, attempt: 1, policy: { clock: time } };
    const permit = (own.limit.limit as Limit).take?.(call as never, undefined) as Permit;
    const takes = (): boolean => Object(own).rule.take(time.now(), 'after-failure');
    expect(takes()).toBe(false);
    permit.ended?.('aborted');
    expect(takes()).toBe(true);
  });

  test('a chance that waits for its tokens is asked for once', async () => {
    const own = throttle();
    const { clock, down } = setUp({ throttle: own, maxRetries: 0 });
    await down(5);
    expect(own.share).toBeCloseTo(0.49);
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1, initialTokens: 0, clock });
    const policy = createPolicy({ clock, random: () => 0, throttle: own, bucket, maxRetries: 0 });
    const results = await clock.runUntilSettled(
      Promise.all(
        Array.from({ length: 20 }, () =>
          retry(() => 'sent', policy).then(
            () => 'sent',
            () => 'skipped',
          ),
        ),
      ),
    );
    expect(results.filter((one) => one === 'sent')).toHaveLength(10);
  });

  test('a budget of the policy replaces the credit', async () => {
    const many = retryBudget({ reserve: 1_000, clock: time });
    const { clock, call, fails, sent } = setUp({ budget: many, maxRetries: 5 });
    call(fails);
    await clock.advance(60_000);
    expect(sent()).toBe(6);
    const other = setUp({ maxRetries: 5 });
    other.call(other.fails);
    await other.clock.advance(60_000);
    expect(other.sent()).toBe(2);
  });
});

test('a throttle per key is asked first, and learns by key', async () => {
  const throttles = perKey(() => throttle(), { keyOf: () => 'a', clock: time });
  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1e-6, clock: time });
  const { clock, call } = setUp({ throttle: throttles, bucket, maxRetries: 1 });
  const request = { method: 'GET', url: '', replayable: true, header: () => undefined };
  throttles.for(request, 'a').hold();
  bucket.tryAcquire();
  const failed = expect(call(() => 1)).rejects.toMatchObject({ reason: 'overload' });
  await clock.advance(1_000);
  await failed;
  expect([throttles.for(request, 'b').state, bucket.stats().waiting]).toEqual(['closed', 0]);
});

describe('wrong options', () => {
  test.each<[options: unknown, error: typeof TypeError | typeof RangeError, message: string]>([
    [{ floor: 0.1 }, TypeError, 'throttle has no option "floor"'],
    [{ whenSkipped: 'stop' }, RangeError, 'throttle: whenSkipped must be'],
    [{ thresholds: 5 }, TypeError, 'throttle has no option "thresholds"'],
  ])('%j', (options, error, message) => {
    expect(() => throttle(options as never)).toThrow(message);
    expect(() => throttle(options as never)).toThrow(error);
  });

  test('a throttle is what `throttle` returns', () => {
    expect(() => createPolicy({ throttle: {} as never })).toThrow('throttle must be throttle(…)');
  });
});
