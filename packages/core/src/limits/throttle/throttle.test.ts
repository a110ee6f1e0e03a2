import { beforeEach, describe, expect, test } from 'vitest';
import { responds } from '../../../test/asks.ts';
import { REQUEST, response } from '../../../test/call-with-limits.ts';
import { constant } from '../../backoff/curves.ts';
import { Call } from '../../call/call.ts';
import { attemptsOf } from '../../call/history.ts';
import { Permits } from '../../call/permits.ts';
import type { EbbEvent } from '../../events/events.ts';
import type { FailureKind, Outcome, Verdict } from '../../http/outcome.ts';
import type { Limit } from '../../policy/limit.ts';
import type { PolicyOptions } from '../../policy/options.ts';
import { createPolicy } from '../../policy/policy.ts';
import { type AttemptContext, retry } from '../../retry/retry.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from '../bucket/token-bucket.ts';
import { perKey } from '../per-key/per-key.ts';
import { pathClassOf } from './classes.ts';
import { adaptiveThrottle, isBad } from './throttle.ts';

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
  const own = adaptiveThrottle();
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
  /** A request in each of so many seconds. */
  const eachSecond = async (seconds: number, work: () => unknown): Promise<void> => {
    for (let at = 0; at < seconds; at += 1) {
      call(work);
      await clock.advance(1_000);
    }
  };
  return {
    clock,
    own,
    policy,
    call,
    settled,
    eachSecond,
    sent: () => sent,
    told: (type: EbbEvent['type']) => events.filter((event) => event.type === type),
    /** So many seconds of requests that fail at once. */
    down: (seconds: number) => eachSecond(seconds, fails),
  };
}

const fails = (): never => {
  throw new Status(503);
};

const reasons = (result: unknown): unknown[] =>
  attemptsOf(result).map(({ attempt, reason }) => [attempt, reason]);

test('released by hand, it is closed whatever has failed', async () => {
  const { own, down } = setUp();
  await down(5);
  expect(own.state).not.toBe('closed');
  own.close();
  expect([own.state, own.level]).toEqual(['closed', 1]);
});

describe('held by hand', () => {
  test('nothing is sent, and a request goes from scheduled attempt to scheduled attempt until it has none left', async () => {
    const { clock, own, settled, sent, told } = setUp({ maxRetries: 2, backoff: constant(10) });
    own.isolate();
    expect([own.state, own.level]).toEqual(['open', 0]);
    const error = await settled(() => 'never');
    expect(error).toMatchObject({ name: 'NotSentError', reason: 'overload' });
    // As the default backoff, whatever that of the policy is.
    const delays = [1_000, 2_000, 4_000, 8_000, 16_000, undefined];
    expect([sent(), clock.elapsedMs]).toEqual([0, 31_000]);
    expect(told('attempt-skipped')).toMatchObject(delays.map((delayMs) => ({ attempt: 0, delayMs })));
    expect(told('end')).toMatchObject([{ reason: 'overload', error: { reason: 'overload' } }]);
    expect(reasons(error)).toEqual([...Array(5).fill([1, 'skipped']), [1, 'overload']]);
  });

  // Without methods nothing may be sent twice, and nothing was sent yet.
  test.each<PolicyOptions>([{}, { methods: [] }])(
    'and released between two scheduled attempts, the request is sent at the next: %j',
    async (options) => {
      const { clock, own, call, told } = setUp(options);
      own.isolate();
      const answer = call(() => 'sent');
      await clock.advance(2_500);
      own.close();
      await clock.advance(500);
      const value = await answer;
      expect([value, own.state, own.level]).toEqual(['sent', 'closed', 1]);
      expect(told('throttle')).toMatchObject([
        { state: 'open', level: 0 },
        { state: 'closed', level: 1 },
      ]);
    },
  );
});

test('a request that cannot wait for its next scheduled attempt is sent, if the last outcome was prompt', async () => {
  const { own, settled, sent, clock } = setUp({ attemptTimeoutMs: 1_000, totalTimeoutMs: 1_500 });
  const { rule } = Object(own).classes.of(pathClassOf({ ...REQUEST, url: '' }), () => 0);
  for (let at = 0; at < 4; at += 1) rule.learn(time.now() + 1_000 * at, true, false, 0);
  rule.learn(time.now() + 4_000, false, false, 0.4);
  expect([await settled(() => 'sent'), sent(), clock.elapsedMs]).toEqual(['sent', 1, 1_000]);
});

describe('classes', () => {
  const get = (path: string) => ({ ...REQUEST, url: `https://a.test${path}` });

  function classesOf(options?: Parameters<typeof adaptiveThrottle>[0]) {
    const own = adaptiveThrottle(options);
    const events: EbbEvent[] = [];
    const policy = createPolicy({ clock: time, throttle: own, maxRetries: 0, random: () => 0 });
    const send = (path: string, outcome: Outcome): boolean => {
      const call = new Call({ ...policy }, get(path));
      call.emit = (event) => void events.push(event as EbbEvent);
      const permits = new Permits(call);
      permits.start(own.limit.limit as Limit);
      const isSent = permits.take() === undefined;
      if (isSent) permits.settle(outcome);
      permits.end('final');
      time.tick(1_000);
      return isSent;
    };
    return { own, events, send };
  }

  test('failures of one path put off no other', () => {
    const { own, events, send } = classesOf();
    const sent = { bad: 0, good: 0 };
    for (let at = 0; at < 20; at += 1) {
      sent.bad += Number(send('/bad/1', response(503)));
      sent.good += Number(send('/good/1', response(200)));
    }
    expect(sent.good).toBe(20);
    expect(sent.bad).toBeLessThan(12);
    expect([own.state, own.level]).toEqual(['open', 0.3]);
    expect(events).toMatchObject([
      { type: 'throttle', state: 'half-open', class: 'GET https://a.test/bad' },
      { type: 'throttle', state: 'open', class: 'GET https://a.test/bad' },
    ]);
  });

  test('`classOf` says which requests are of a class', () => {
    const { send } = classesOf({ classOf: ({ url }) => url.slice(-1) });
    let sent = 0;
    for (let at = 0; at < 10; at += 1) {
      sent += Number(send('/x/1', response(503))) + Number(send('/y/1', response(503)));
      expect(send('/x/2', response(200))).toBe(true);
    }
    expect(sent).toBeLessThan(20);
    expect(() => classesOf({ classOf: () => 1 as never }).send('/', response(200))).toThrow('classOf');
  });
});

describe('a skipped attempt holds nothing', () => {
  test('a retry that the throttle has paid goes back, if another limit skips it', async () => {
    let isSkipping = false;
    const last: Limit = {
      name: 'own',
      take: () => (isSkipping ? { skip: true, delayMs: 1_000 } : undefined),
    };
    const { clock, call, sent } = setUp({ limits: [last], maxRetries: 3 });
    call(fails);
    await clock.advance(500);
    isSkipping = true;
    await clock.advance(3_000);
    expect(sent()).toBe(1);
    isSkipping = false;
    call(fails);
    await clock.advance(3_500);
    // One retry, and not none.
    expect(sent()).toBe(1 + 2);
  });
});

describe('what is learned', () => {
  test.each<[string, FailureKind, url: string, isBad: boolean | undefined]>([
    ['a mistake of the program, which a client throws', 'unknown', 'https://a.test/', undefined],
    ['an error of a function', 'unknown', '', true],
    ['an abort', 'aborted', 'https://a.test/', undefined],
    ['no connection', 'connect', 'https://a.test/', true],
    ['a timeout', 'timeout', 'https://a.test/', true],
  ])('%s is bad, or says nothing: %s of %j is %s', (_, kind, url, bad) => {
    const error = new TypeError('lost');
    expect(isBad({ type: 'failure', kind, error }, { ...REQUEST, url }, time)).toBe(bad);
  });

  test.each<[verdict: Verdict | undefined, status: number, isBad: boolean]>([
    ['refused', 200, true],
    ['transient', 200, true],
    ['final', 503, false],
    ['success', 503, false],
    [undefined, 503, true],
    [undefined, 429, true],
    [undefined, 404, false],
  ])('a body that was judged %s, of a response with %i: %s', (verdict, status, bad) => {
    expect(isBad(response(status, verdict && { verdict }), REQUEST, time)).toBe(bad);
  });

  test.each<[status: number, headers: Record<string, string>, bad: boolean | undefined]>([
    [429, {}, true],
    [429, { 'retry-after': '7' }, undefined],
    [429, { 'x-ratelimit-remaining': '0' }, undefined],
    [429, { ratelimit: '"day";r=0;t=60' }, undefined],
    [503, { 'retry-after': '7' }, true],
    [200, { 'ratelimit-remaining': '0' }, false],
  ])('a %d with %j shows trouble of the service: %s', (status, headers, bad) => {
    expect(isBad(responds(status, headers), REQUEST, time)).toBe(bad);
  });

  test('`perKey` may forget a throttle, but not one that is held', () => {
    const own = adaptiveThrottle();
    expect([own.limit.limit.name, own.isIdle]).toEqual(['throttle', true]);
    own.isolate();
    expect(own.isIdle).toBe(false);
  });

  test('nothing by an attempt whose hook takes too long', async () => {
    const { own, eachSecond } = setUp({
      maxRetries: 0,
      attemptTimeoutMs: 900,
      beforeAttempt: () => new Promise<undefined>(() => undefined),
    });
    await eachSecond(6, () => 1);
    expect(own.level).toBe(1);
  });

  test('a scheduled attempt that waits for its tokens is asked for once', async () => {
    const { clock, own, down } = setUp({ maxRetries: 0 });
    await down(5);
    expect(own.level).toBeCloseTo(0.49);
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1, initialTokens: 0, clock });
    const policy = createPolicy({ clock, random: () => 0, throttle: own, bucket, maxRetries: 0 });
    const calls = Array.from({ length: 20 }, () => retry(() => 'sent', policy));
    const results = await clock.runUntilSettled(Promise.allSettled(calls));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });
});

test('a throttle per key is asked first, and learns by key', async () => {
  const throttles = perKey(() => adaptiveThrottle(), { keyOf: () => 'a', clock: time });
  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1e-6, clock: time });
  const { clock, call } = setUp({ throttle: throttles, bucket, maxRetries: 1 });
  throttles.for(REQUEST, 'a').isolate();
  bucket.tryAcquire();
  const failed = expect(call(() => 1)).rejects.toMatchObject({ reason: 'overload' });
  await clock.advance(31_000);
  await failed;
  expect([throttles.for(REQUEST, 'b').state, bucket.stats().waiting]).toEqual(['closed', 0]);
});

describe('wrong options', () => {
  test.each<[options: unknown, error: typeof TypeError | typeof RangeError, message: string]>([
    [{ floor: 0.1 }, TypeError, 'adaptiveThrottle has no option "floor"'],
    [{ whenSkipped: 'stop' }, RangeError, 'adaptiveThrottle: whenSkipped must be'],
  ])('%j', (options, error, message) => {
    expect(() => adaptiveThrottle(options as never)).toThrow(message);
    expect(() => adaptiveThrottle(options as never)).toThrow(error);
  });
});
