import {
  adaptiveThrottle,
  attemptsOf,
  concurrencyLimit,
  createPolicy,
  type EbbEvent,
  type Limit,
  type PolicyOptions,
  perKey,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { deadline } from '@ebb/core/deadlines';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hedged } from '../fetch.ts';

const URL_A = 'https://a.test/things?x=1';

interface Plan {
  readonly ms: number;
  readonly status?: number;
  readonly error?: Error;
  /** Does not end when it is aborted. */
  readonly isDeaf?: boolean;
}

/** The clock of the clients and the limits of a test. */
let time = virtualClock();
beforeEach(() => {
  time = virtualClock();
});

/** A base fetch whose sends take what the plans say, in turn; the last plan is for all that follow. */
function service(plans: readonly Plan[], clock = time) {
  const sent: { url: string; init: RequestInit; aborted: boolean; reason?: unknown }[] = [];
  const cancelled: number[] = [];
  const base = (input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> => {
    const at = sent.length;
    const one = {
      url: String((input as Request).url ?? input),
      init,
      aborted: false,
      reason: undefined as unknown,
    };
    sent.push(one);
    const { ms, status = 200, error, isDeaf } = plans[Math.min(at, plans.length - 1)] as Plan;
    const { signal } = init;
    return new Promise((resolve, reject) => {
      const cancel = clock.schedule(() => {
        if (error) return reject(error);
        const body = new ReadableStream({ cancel: () => void cancelled.push(at) });
        resolve(new Response(status === 204 ? null : body, { status, headers: { 'x-try': `${at}` } }));
      }, ms);
      const abort = (): void => {
        one.aborted = true;
        one.reason = signal?.reason;
        if (isDeaf) return;
        cancel();
        reject(signal?.reason);
      };
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
    });
  };
  return { base, sent, cancelled, clock };
}

/** A client whose hedges are sent after 10 ms. */
function client(plans: readonly Plan[], options: PolicyOptions = {}, more: object = {}) {
  const one = service(plans);
  const events: EbbEvent[] = [];
  const policy = createPolicy({
    maxRetries: 0,
    clock: one.clock,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  const hedging = hedged(one.base, { policy, delayMs: 10, ...more });
  return { ...one, events, policy, hedging, fetch: createFetch(policy, hedging) };
}

const tryOf = (response: Response): string | null => response.headers.get('x-try');

test('a hedge whose hook ends after the race is not sent', async () => {
  const gate = Promise.withResolvers<undefined>();
  let asked = 0;
  const { fetch, clock, sent, events } = client(
    [{ ms: 100, isDeaf: true }, { ms: 15 }],
    {
      trustedOrigins: () => true,
      beforeAttempt: ({ request }) =>
        request.url.startsWith('https://b.') && ++asked === 2 ? gate.promise : undefined,
    },
    { maxHedges: 2, share: 1, to: () => 'https://b.test/' },
  );
  const response = fetch(URL_A);
  await clock.advance(25);
  expect(tryOf(await response)).toBe('1');
  const told = events.length;
  gate.resolve(undefined);
  await clock.advance(50);
  expect([asked, sent.length, events.length]).toEqual([2, 2, told]);
});

describe('which try wins', () => {
  const down = new TypeError('reset', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });

  test.each<[string, readonly Plan[], ms: number, sent: number, wins: string]>([
    ['the first one before its delay: no hedge', [{ ms: 9 }], 9, 1, '0 200'],
    ['a failure before the delay is the result', [{ ms: 5, status: 503 }], 5, 1, '0 503'],
    ['nor one that has no connection', [{ ms: 50 }, { ms: 5, error: down }], 50, 2, '0 200'],
    ['also if it has no response', [{ ms: 12, error: down }, { ms: 20 }], 30, 2, '1 200'],
  ])('%s', async (_, plans, ms, sent, wins) => {
    const { fetch, clock, sent: all } = client(plans);
    const response = await clock.runUntilSettled(fetch(URL_A));
    expect(`${tryOf(response)} ${response.status}`).toBe(wins);
    expect([clock.elapsedMs, all.length]).toEqual([ms, sent]);
  });

  test('a hedge sends what the call was given, whatever its headers are by then', async () => {
    const { hedging, clock, sent } = client([{ ms: 100 }, { ms: 5 }]);
    const headers = { 'x-user': 'one' };
    const got = hedging(URL_A, { headers });
    headers['x-user'] = 'two';
    await clock.runUntilSettled(got);
    expect(sent.map(({ init }) => new Headers(init.headers).get('x-user'))).toEqual(['one', 'one']);
  });

  test('an error of both is that of the first try', async () => {
    const other = new TypeError('another');
    const { fetch, clock } = client([
      { ms: 40, error: down },
      { ms: 5, error: other },
    ]);
    await expect(clock.runUntilSettled(fetch(URL_A))).rejects.toBe(down);
  });

  test('two hedges, each a delay after the one before', async () => {
    const { fetch, clock, sent } = client(
      [{ ms: 100 }, { ms: 100 }, { ms: 5 }],
      {},
      { maxHedges: 2, share: 1 },
    );
    expect(tryOf(await clock.runUntilSettled(fetch(URL_A)))).toBe('2');
    expect([clock.elapsedMs, sent.length]).toEqual([25, 3]);
    expect(sent.map(({ aborted }) => aborted)).toEqual([true, true, false]);
  });
});

describe('the losers', () => {
  test('are aborted, and the winner is not; no timer is left', async () => {
    const { fetch, clock, sent } = client([{ ms: 100 }, { ms: 5 }]);
    await clock.runUntilSettled(fetch(URL_A));
    expect(sent.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(sent[0]?.reason).toMatchObject({ name: 'AbortError' });
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  test.each<[string, readonly Plan[]]>([
    ['a body that comes after the end', [{ ms: 100, isDeaf: true }, { ms: 5 }]],
    ['a failure that was set aside', [{ ms: 12, status: 500 }, { ms: 20 }]],
  ])('%s is cancelled', async (_, plans) => {
    const { fetch, clock, cancelled } = client(plans);
    await clock.runUntilSettled(fetch(URL_A));
    await clock.advance(100);
    expect(cancelled).toEqual([0]);
  });
});

describe('an abort of the caller', () => {
  test.each([
    ['before the hedge', 5, 1],
    ['while both are under way', 15, 2],
  ])('%s ends all with its own reason', async (_, ms, count) => {
    const { fetch, clock, sent } = client([{ ms: 100 }]);
    const abort = new AbortController();
    const reason = new Error('enough');
    const result = fetch(URL_A, { signal: abort.signal });
    clock.schedule(() => abort.abort(reason), ms);
    await expect(clock.runUntilSettled(result)).rejects.toBe(reason);
    expect(sent.map((one) => one.reason)).toEqual(Array(count).fill(reason));
    await clock.advance(1_000);
    expect(sent.length).toBe(count);
  });

  test('also without a client above', async () => {
    const { hedging, clock, sent } = client([{ ms: 100 }]);
    const abort = new AbortController();
    const result = hedging(URL_A, { signal: abort.signal });
    clock.schedule(() => abort.abort('enough'), 15);
    await expect(clock.runUntilSettled(result)).rejects.toBe('enough');
    expect(sent.map((one) => one.aborted)).toEqual([true, true]);
  });

  test('before the call is for the base fetch to report', async () => {
    const { hedging } = client([{ ms: 100 }]);
    await expect(hedging(URL_A, { signal: AbortSignal.abort('early') })).rejects.toBe('early');
  });

  test('an attempt timeout ends both, and the retry is hedged again', async () => {
    const { fetch, clock, sent } = client([{ ms: 900 }, { ms: 900 }, { ms: 5 }], {
      maxRetries: 1,
      attemptTimeoutMs: 50,
      backoff: () => 0,
    });
    expect(tryOf(await clock.runUntilSettled(fetch(URL_A)))).toBe('2');
    expect(sent.map((one) => one.aborted)).toEqual([true, true, false]);
  });
});

describe('what a hedge takes', () => {
  const slow: readonly Plan[] = [{ ms: 100 }];
  const setState = (throttle: object, value: string) => Object.defineProperty(throttle, 'state', { value });

  test('a token of its own: one at first, then three for two hundred requests', async () => {
    const { hedging, clock, sent } = client(slow);
    for (let call = 0; call < 135; call += 1) {
      const result = hedging(URL_A);
      await clock.advance(200);
      await result;
    }
    expect(sent.length - 135).toBe(3);
  });

  test('a hedge that wins gives it back', async () => {
    const fast = Array.from({ length: 400 }, (_, at) => ({ ms: at % 2 === 0 ? 100 : 1 }));
    const { hedging, clock, sent } = client(fast);
    for (let call = 0; call < 50; call += 1) await clock.runUntilSettled(hedging(URL_A));
    expect(sent.length).toBe(100);
  });

  test('tokens of the bucket, which stay spent', async () => {
    const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 3, clock: time });
    const { fetch, clock, sent } = client(slow, { bucket }, { share: 1 });
    await clock.runUntilSettled(fetch(URL_A));
    expect(Math.floor(bucket.stats().tokens)).toBe(1);
    await clock.runUntilSettled(fetch(URL_A));
    // The last token is that of the request.
    expect(sent.length).toBe(3);
    expect(Math.floor(bucket.stats().tokens)).toBe(0);
  });

  test('tokens that are marked as missing do not do', async () => {
    const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 1, nonConforming: 'mark', clock: time });
    const { fetch, clock, sent } = client(slow, { bucket });
    await clock.runUntilSettled(fetch(URL_A));
    expect(sent.length).toBe(1);
  });

  test.each([
    [1, 1],
    [2, 2],
  ])('a free slot: of %i', async (maxConcurrent, sends) => {
    const concurrency = concurrencyLimit({ maxConcurrent, clock: time });
    const { fetch, clock, sent } = client([{ ms: 100, status: 204 }], { concurrency });
    const response = await clock.runUntilSettled(fetch(URL_A));
    await response.text();
    expect(sent.length).toBe(sends);
    expect(concurrency.stats().inUse).toBe(0);
  });

  test.each([
    [0, 1],
    [1, 2],
  ])('a retry of the budget: of %i', async (reserve, sends) => {
    const budget = retryBudget({ reserve, ratio: 0, clock: time });
    const { fetch, clock, sent } = client(slow, { budget });
    await clock.runUntilSettled(fetch(URL_A));
    expect([sent.length, budget.balance]).toEqual([sends, 0]);
  });

  test('the budget gets one deposit for both tries', async () => {
    const budget = retryBudget({ reserve: 5, ratio: 1, clock: time });
    const { fetch, clock } = client([{ ms: 100 }, { ms: 1 }], { budget });
    await clock.runUntilSettled(fetch(URL_A));
    // One for the hedge, and one for the success.
    expect(budget.balance).toBe(5);
    budget.withdraw();
    expect(budget.balance).toBe(4);
  });

  test('limits per key are those of its request', async () => {
    const bucket = perKey(() => tokenBucket({ refillPerSecond: 0.001, capacity: 2, clock: time }), {
      clock: time,
    });
    const { fetch, clock, sent } = client(slow, { bucket }, { share: 1 });
    await clock.runUntilSettled(fetch(URL_A));
    await clock.runUntilSettled(fetch('https://b.test/'));
    expect(sent.map(({ url }) => new URL(url).host)).toEqual(['a.test', 'a.test', 'b.test', 'b.test']);
  });

  test('what is lacking gives the rest back', async () => {
    const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 5, clock: time });
    const concurrency = concurrencyLimit({ maxConcurrent: 5, clock: time });
    const budget = retryBudget({ reserve: 0, ratio: 0, clock: time });
    const { fetch, clock } = client(slow, { bucket, concurrency, budget });
    const result = fetch(URL_A);
    await clock.advance(50);
    expect([Math.floor(bucket.stats().tokens), concurrency.stats().inUse]).toEqual([4, 1]);
    await clock.runUntilSettled(result);
  });

  test('nothing while the throttle holds requests back, and what it holds for a hedge goes back', async () => {
    const held = adaptiveThrottle();
    const { hedging, clock, sent } = client(
      slow,
      { throttle: perKey(() => held, { clock: time }) },
      { share: 1 },
    );
    held.isolate();
    await clock.runUntilSettled(hedging(URL_A));
    expect(sent.length).toBe(1);
    held.close();
    await clock.runUntilSettled(hedging(URL_A));
    expect(sent.length).toBe(3);
  });

  test('nothing while there is trouble, though the reserve would pay for a retry', async () => {
    const own = adaptiveThrottle();
    const down = { ms: 1, status: 503 };
    const { fetch, hedging, clock, sent } = client([down, down, down, { ms: 100 }], { throttle: own });
    for (let call = 0; call < 3; call += 1) await clock.runUntilSettled(fetch(URL_A));
    await clock.runUntilSettled(hedging(URL_A));
    expect([own.state, sent.length]).toEqual(['half-open', 4]);
  });

  test('nothing after the policy has stopped', async () => {
    const stop = new AbortController();
    const { hedging, clock, sent } = client(slow, { stopSignal: stop.signal });
    stop.abort();
    await clock.runUntilSettled(hedging(URL_A));
    expect(sent.length).toBe(1);
  });

  test.each<[what: string, happen: (stop: AbortController, throttle: object) => unknown, sends: number]>([
    ['the policy stops', (stop) => stop.abort(), 1],
    ['the throttle has trouble', (_, throttle) => setState(throttle, 'half-open'), 1],
    ['all stays well', () => undefined, 2],
  ])('%s while its hook is asked', async (_, happen, sends) => {
    const [stop, throttle] = [new AbortController(), adaptiveThrottle()];
    const { hedging, clock, sent } = client(
      slow,
      {
        ...{ stopSignal: stop.signal, throttle, trustedOrigins: () => true },
        beforeAttempt: () => time.sleep(20).then(() => void happen(stop, throttle)),
      },
      { to: () => 'https://b.test/' },
    );
    await clock.runUntilSettled(hedging(URL_A));
    expect(sent.length).toBe(sends);
  });
});

test.each<[string, readonly Plan[], readonly unknown[]]>([
  ['the first one, which is aborted', [{ ms: 100 }, { ms: 5 }], ['aborted', 200]],
  ['the first one, which has failed', [{ ms: 12, status: 503 }, { ms: 20 }], [503, 200]],
  ['the hedge, which is aborted', [{ ms: 12 }, { ms: 5 }, { ms: 5 }], ['aborted', 200]],
  ['the hedge, which has failed', [{ ms: 30 }, { ms: 5, status: 503 }], [503, 200]],
])('limits learn the outcome of each try once, that of the loser as well: %s', async (_, plans, learned) => {
  const outcomes: unknown[] = [];
  const own: Limit = {
    name: 'own',
    take: () => ({
      cancel: () => undefined,
      settle: (outcome) => void outcomes.push(outcome.type === 'response' ? outcome.status : outcome.kind),
    }),
  };
  const { fetch, clock } = client(plans, { limits: [own] });
  await clock.runUntilSettled(fetch(URL_A));
  expect(outcomes).toEqual(learned);
});

describe('the delay that is learned', () => {
  /** A service whose sends take what `msOf` returns. */
  function learning(msOf: (send: number) => Plan, more: object = {}) {
    const plans = Array.from({ length: 60 }, (_, at) => msOf(at));
    return client(plans, {}, { delayMs: undefined, ...more });
  }

  test('is known after twenty answers, for each origin', async () => {
    const { hedging, clock, sent } = learning((at) => ({ ms: at < 20 ? at + 1 : 500 }));
    for (let call = 0; call < 20; call += 1) await clock.runUntilSettled(hedging(URL_A));
    const other = hedging('https://b.test/');
    await clock.advance(100);
    // Nothing is known of this one.
    expect(sent.length).toBe(21);
    const slow = hedging(URL_A);
    await clock.advance(18);
    expect(sent.length).toBe(22);
    await clock.advance(1);
    // The second longest took 19 ms.
    expect(sent.length).toBe(23);
    await clock.runUntilSettled(Promise.all([other, slow]));
  });

  test('or for each key of your own', async () => {
    const { hedging, clock, sent } = learning((at) => ({ ms: at < 20 ? 5 : 500 }), {
      keyOf: ({ url }: { url: string }) => new URL(url).pathname,
    });
    for (let call = 0; call < 20; call += 1)
      await clock.runUntilSettled(hedging(`https://host-${call}.test/a`));
    await clock.runUntilSettled(hedging('https://new.test/b'));
    expect(sent.length).toBe(21);
    await clock.runUntilSettled(hedging('https://new.test/a'));
    expect(sent.length).toBe(23);
  });

  test.each<[string, Plan]>([
    ['failures', { ms: 1, status: 503 }],
    ['refusals', { ms: 1, status: 429 }],
    ['errors', { ms: 1, error: new TypeError('no') }],
  ])('is not learned from %s, which may come sooner than any answer', async (_, plan) => {
    const { hedging, clock, sent } = learning((at) => (at < 40 ? plan : { ms: 500 }));
    for (let call = 0; call < 40; call += 1)
      await clock.runUntilSettled(hedging(URL_A).catch(() => undefined));
    await clock.runUntilSettled(hedging(URL_A));
    expect(sent.length).toBe(41);
  });
});

test('a header function is called at the send of the hedge as well; plain values, and what is set below, stay', async () => {
  let made = 0;
  const { clock, sent, hedging, policy } = client([{ ms: 100 }, { ms: 5 }], {
    totalTimeoutMs: 100,
    plugins: [deadline({ header: 'x-left' })],
    beforeAttempt: () => {
      const [plain, next] = [`${++made}`, () => `${++made}`];
      return { 'x-plain': plain, 'x-nonce': next, 'x-below': next, 'x-gone': () => undefined };
    },
  });
  const below: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-below', 'own');
    return hedging(input, { ...init, headers });
  };
  await clock.runUntilSettled(createFetch(policy, below)(URL_A, { headers: { 'x-gone': '1' } }));
  const names = ['x-plain', 'x-nonce', 'x-left', 'x-below', 'x-gone'];
  expect(sent.map(({ init }) => names.map((name) => new Headers(init.headers).get(name)))).toEqual([
    ['1', '2', '100', 'own', null],
    ['1', '4', '90', 'own', null],
  ]);
});

describe('which requests', () => {
  const stream = (): ReadableStream => new Response('x').body as ReadableStream;

  test.each<[string, RequestInit & { duplex?: 'half' }, object, number]>([
    ['GET', {}, {}, 2],
    ['head', { method: 'head' }, {}, 2],
    ['OPTIONS', { method: 'OPTIONS' }, {}, 2],
    ['QUERY with a string', { method: 'QUERY', body: 'q' }, {}, 2],
    ['QUERY with a stream', { method: 'QUERY', body: stream(), duplex: 'half' }, {}, 1],
    ['POST', { method: 'POST', body: 'x' }, {}, 1],
    ['PUT: twice at the same time', { method: 'PUT', body: 'x' }, {}, 1],
    ['POST with an Idempotency-Key', { method: 'POST', headers: { 'idempotency-key': '1' } }, {}, 1],
    ['POST if it is listed', { method: 'POST', body: 'x' }, { methods: ['POST'] }, 2],
    ['GET if it is not', {}, { methods: ['POST'] }, 1],
    ['POST if all are', { method: 'POST', body: 'x' }, { methods: 'all' }, 2],
    ['a stream if all are', { method: 'POST', body: stream(), duplex: 'half' }, { methods: 'all' }, 1],
  ])('%s', async (_, init, more, sends) => {
    const { fetch, clock, sent } = client([{ ms: 100 }], {}, more);
    await clock.runUntilSettled(fetch(URL_A, init));
    expect(sent.length).toBe(sends);
  });

  test('a Request without a body, and with headers that can be read once', async () => {
    const { hedging, clock, sent } = client([{ ms: 100 }], {}, { share: 1 });
    await clock.runUntilSettled(hedging(new Request(URL_A)));
    const headers = new Map([['x-a', '1']]).entries() as unknown as Headers;
    await clock.runUntilSettled(hedging(URL_A, { headers }));
    expect(sent.length).toBe(4);
    expect(sent.slice(2).map(({ init }) => new Headers(init.headers).get('x-a'))).toEqual(['1', '1']);
  });
});

describe('another origin', () => {
  const to = (): string => 'https://b.test:8443/ignored';

  test('gets the path and the headers, and what the hook says for it', async () => {
    const asked: string[] = [];
    const beforeAttempt = ({ request }: { request: { url: string } }) => {
      asked.push(request.url);
      return { authorization: `for ${new URL(request.url).host}` };
    };
    const { fetch, clock, sent } = client(
      [{ ms: 100 }, { ms: 5 }],
      { beforeAttempt, trustedOrigins: () => true },
      { to },
    );
    await clock.runUntilSettled(fetch(URL_A, { headers: { 'x-own': '1' } }));
    expect(asked).toEqual([URL_A, 'https://b.test:8443/things?x=1']);
    expect(sent[1]?.url).toBe('https://b.test:8443/things?x=1');
    const headers = new Headers(sent[1]?.init.headers);
    expect([headers.get('x-own'), headers.get('authorization')]).toEqual(['1', 'for b.test:8443']);
  });

  test('gets nothing if hooks add headers, and it is not trusted', async () => {
    const beforeAttempt = (): Record<string, string> => ({ authorization: 'secret' });
    expect(() => client([], { beforeAttempt }, { to })).toThrow(
      'hedged: trustedOrigins must be set beside beforeAttempt',
    );
    for (const [trustedOrigins, sends] of [
      [['https://a.test'], 1],
      [['https://a.test', 'https://b.test:8443'], 2],
    ] as const) {
      const { fetch, clock, sent } = client([{ ms: 100 }], { beforeAttempt, trustedOrigins }, { to });
      await clock.runUntilSettled(fetch(URL_A));
      expect(sent.length).toBe(sends);
    }
  });

  test('waits for its hooks with nothing held, and not longer than the first try', async () => {
    const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 5, clock: time });
    const { fetch, clock, sent } = client(
      [{ ms: 50 }],
      {
        bucket,
        trustedOrigins: () => true,
        beforeAttempt: ({ request }) =>
          request.url.includes('b.test') ? new Promise(() => undefined) : undefined,
      },
      { to },
    );
    const result = fetch(URL_A);
    await clock.advance(30);
    expect(Math.floor(bucket.stats().tokens)).toBe(4);
    await clock.runUntilSettled(result);
    expect(sent.length).toBe(1);
  });

  test.each([
    ['https://b.test', 'http://a.test:8080/items?page=2', 'https://b.test/items?page=2'],
    ['https://b.test:8443/ignored', 'http://a.test/', 'https://b.test:8443/'],
  ])('to %s %s goes as %s', async (to, from, expected) => {
    const { fetch, clock, sent } = client([{ ms: 50 }, { ms: 5 }], {}, { to: () => to });
    await clock.runUntilSettled(fetch(from));
    expect(sent.map(({ url }) => url)).toEqual([from, expected]);
  });

  test('what fails is reported once, and the request is well', async () => {
    const warned = vi.fn();
    // In Node, and in browsers.
    vi.spyOn(process, 'emitWarning').mockImplementation(warned);
    vi.stubGlobal('reportError', warned);
    onTestFinished(() => {
      vi.restoreAllMocks();
      vi.unstubAllGlobals();
    });
    const { fetch, clock, sent } = client([{ ms: 50 }], {}, { to: () => 'nowhere', share: 1 });
    for (let call = 0; call < 3; call += 1)
      expect((await clock.runUntilSettled(fetch(URL_A))).status).toBe(200);
    expect(sent.length).toBe(3);
    expect(warned).toHaveBeenCalledTimes(1);
  });
});

describe('what is reported', () => {
  test.each<[string, () => PolicyOptions, more: object, sent: number, told: readonly object[]]>([
    ['sent', () => ({}), {}, 2, [{ sent: true, delayMs: 10, attempt: 2 }]],
    [
      'not sent, for want of a slot',
      () => ({ concurrency: concurrencyLimit({ maxConcurrent: 1, clock: time }) }),
      {},
      1,
      [{ sent: false, won: false, delayMs: 10, attempt: 2, outcome: undefined }],
    ],
    [
      'not needed, since its hook returns after the first try',
      () => ({
        trustedOrigins: () => true,
        beforeAttempt: async ({ request }) => {
          if (request.url.includes('b.test')) await time.sleep(150);
          return undefined;
        },
      }),
      { to: () => 'https://b.test/' },
      1,
      [],
    ],
  ])('a hedge that is due is %s', async (_, options, more, count, told) => {
    const { fetch, clock, events, sent } = client([{ ms: 100 }, { ms: 5 }], options(), more);
    await clock.runUntilSettled(fetch(URL_A));
    await clock.advance(200);
    expect(sent.length).toBe(count);
    expect(events.filter(({ type }) => type === 'hedge')).toMatchObject(told);
  });

  test('wrapAttempt is called for a hedge as well', async () => {
    const around: number[] = [];
    const { fetch, clock } = client([{ ms: 100 }, { ms: 5 }], {
      wrapAttempt: (send, { attempt }) => {
        around.push(attempt);
        return send();
      },
    });
    await clock.runUntilSettled(fetch(URL_A));
    expect(around).toEqual([1, 2]);
  });

  test('nothing without a hedge', async () => {
    const { fetch, clock, events } = client([{ ms: 5 }]);
    const response = await clock.runUntilSettled(fetch(URL_A));
    expect(events.map(({ type }) => type)).toEqual(['attempt', 'end']);
    expect(attemptsOf(response)).toEqual([
      { attempt: 1, delayMs: 0, waitedMs: 0, status: 200, reason: 'success' },
    ]);
  });
});

describe('wrong options', () => {
  const policy = createPolicy();

  test.each<[object, RegExp, typeof TypeError | typeof RangeError]>([
    [{}, /hedged: policy must be/, TypeError],
    [{ policy, quantile: 0 }, /hedged: quantile must be a number > 0 and < 1, got 0/, RangeError],
    [{ policy, quantile: 1 }, /quantile/, RangeError],
    [{ policy, quantile: Number.NaN }, /quantile/, RangeError],
    [{ policy, quantile: '0.9' }, /quantile/, TypeError],
    [{ policy, maxHedges: 1.5 }, /maxHedges must be a whole number ≥ 1, got 1.5/, RangeError],
    [{ policy, maxHedges: 0 }, /maxHedges/, RangeError],
    [{ policy, share: 0 }, /share/, RangeError],
    [{ policy, share: Number.POSITIVE_INFINITY }, /share/, RangeError],
    [{ policy, delayMs: -1 }, /delayMs/, RangeError],
    [{ policy, minDelayMs: Number.POSITIVE_INFINITY }, /minDelayMs/, RangeError],
    [{ policy, methods: 'POST' }, /methods/, RangeError],
    [{ policy, methods: [1] }, /methods/, TypeError],
    [{ policy, to: 'https://b.test' }, /to must be a function/, TypeError],
    [{ policy, delay: 1 }, /delay/, TypeError],
  ])('%o', (options, message, type) => {
    expect(() => hedged(fetch, options as never)).toThrow(message);
    expect(() => hedged(fetch, options as never)).toThrow(type);
  });

  test('no fetch, and one that hedges already', () => {
    expect(() => hedged(undefined as never, { policy })).toThrow(TypeError);
    expect(() => hedged(hedged(fetch, { policy }), { policy })).toThrow(/does not hedge already/);
  });

  test.each<[string, object]>([
    ['with nothing to do', {}],
    ['that makes a signal of its own', { attemptTimeoutMs: 1_000 }],
    ['that waits', { bucket: tokenBucket({ capacity: 1, refillPerSecond: 100, initialTokens: 0 }) }],
  ])('one below another with a client of ebb between, %s', async (_, options) => {
    const base = vi.fn(async () => new Response());
    const between = createFetch(options, hedged(base, { policy }));
    const outer = createFetch(policy, hedged(between, { policy }));
    const error = await outer(URL_A).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: expect.stringContaining('does not hedge already') });
    expect(base).not.toHaveBeenCalled();
    // The one below may still be used alone.
    expect((await between(URL_A)).status).toBe(200);
  });

  test('a keyOf that throws fails its request', async () => {
    const keyOf = (): never => {
      throw new Error('oops');
    };
    await expect(hedged(fetch, { policy, keyOf })(URL_A)).rejects.toMatchObject({
      name: 'HookError',
      hook: 'keyOf',
    });
  });
});
