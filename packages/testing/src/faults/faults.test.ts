import { getEventListeners } from 'node:events';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { type FaultScenario, faults } from '../faults.ts';

const EASY: FaultScenario = { workers: 2, serviceMs: 100, serviceSpread: 'constant' };

/** Requests to a service in virtual time, and what became of them. */
function setUp(scenario: Partial<FaultScenario> = {}, seed = 1) {
  const clock = virtualClock();
  const service = faults({ ...EASY, clock, ...scenario }, seed);
  const seen: string[] = [];
  const send = (name: string, init?: RequestInit, url: string | URL | Request = 'http://a.test/'): void => {
    const tell = (what: unknown): void => void seen.push(`${name} ${what} at ${clock.elapsedMs}`);
    service(url, init).then(
      ({ status, headers }) => {
        const seconds = headers.get('retry-after');
        tell(seconds === null ? status : `${status} (${seconds} s)`);
      },
      (error) => tell(error.cause?.code ?? error.name),
    );
  };
  return { clock, service, send, seen };
}

describe('the service', () => {
  test('serves as many at once as it has workers; the others wait', async () => {
    const { clock, send, seen } = setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e']) send(name);
    await clock.advance(1_000);
    expect(seen).toEqual(['a 200 at 100', 'b 200 at 100', 'c 200 at 200', 'd 200 at 200', 'e 200 at 300']);
    expect(clock.pending).toBe(0);
  });

  test.each([
    [{}, '503'],
    [{ queueFull: 'too-many' }, '429'],
    [{ queueFull: 'too-many', retryAfterSeconds: 2 }, '429 (2 s)'],
    [{ retryAfterSeconds: 0 }, '503 (0 s)'],
  ] as const)('answers at once what finds the queue full: %j', async (options, answer) => {
    const { clock, send, seen } = setUp({ maxQueue: 1, ...options });
    for (const name of ['a', 'b', 'c', 'd']) send(name);
    await clock.advance(1_000);
    expect(seen).toEqual([`d ${answer} at 0`, 'a 200 at 100', 'b 200 at 100', 'c 200 at 200']);
  });

  test('a limit answers 429 with the time until there is a token', async () => {
    const { clock, send, seen } = setUp({ limit: { refillPerSecond: 0.5, capacity: 1 } });
    send('a');
    send('b');
    await clock.advance(500);
    send('c');
    await clock.advance(1_500);
    send('d');
    await clock.advance(1_000);
    expect(seen).toEqual(['b 429 (2 s) at 0', 'a 200 at 100', 'c 429 (2 s) at 500', 'd 200 at 2100']);
    const quiet = setUp({ limit: { refillPerSecond: 1, capacity: 1, retryAfter: false } });
    quiet.send('a');
    quiet.send('b');
    await quiet.clock.advance(0);
    expect(quiet.seen).toEqual(['b 429 at 0']);
  });

  test('stragglers take longer by their factor', async () => {
    const { clock, send, seen } = setUp({ workers: 1_000, stragglers: { share: 0.1, factor: 7 } });
    for (let at = 0; at < 1_000; at += 1) send('a');
    await clock.advance(1_000);
    const slow = seen.filter((line) => line === 'a 200 at 700').length;
    expect(slow).toBeGreaterThan(80);
    expect(slow).toBeLessThan(120);
    expect(seen.filter((line) => line === 'a 200 at 100')).toHaveLength(1_000 - slow);
  });

  test.each([
    ['exponential', 0.69],
    ['log-normal', 0.61],
  ] as const)('times are %s: their median is %d of their mean', async (serviceSpread, median) => {
    const { clock, send, seen } = setUp({ workers: 5_000, serviceSpread });
    for (let at = 0; at < 5_000; at += 1) send('a');
    await clock.advance(1e6);
    const times = seen.map((line) => Number(line.split(' ').at(-1))).sort((one, other) => one - other);
    expect(times.reduce((sum, one) => sum + one, 0) / 5_000 / 100).toBeCloseTo(1, 1);
    expect((times[2_500] ?? 0) / 100).toBeCloseTo(median, 1);
  });

  test('a URL is always served by the same shard, and a trouble may have one of ten', async () => {
    const errors = { type: 'errors', share: 1, fromMs: 0, untilMs: 1e6, shard: 9 } as const;
    const { clock, send, seen } = setUp({ workers: 100, shards: 10, troubles: [errors] });
    for (let at = 0; at < 200; at += 1) send(`${at}`, {}, `http://a.test/${at}`);
    await clock.advance(1_000);
    const failed = seen.filter((line) => line.includes(' 503 '));
    expect(failed.length).toBeGreaterThan(10);
    expect(failed.length).toBeLessThan(35);
    const name = failed[0]?.split(' ')[0];
    send('again', {}, new URL(`http://a.test/${name}`));
    send('as a request', {}, new Request(`http://a.test/${name}`));
    await clock.advance(1_000);
    expect(seen.slice(-2)).toEqual(['again 503 at 1100', 'as a request 503 at 1100']);
  });

  test('respond makes the answers, and what it throws is an error of fetch', async () => {
    const respond = (input: string | URL | Request, init?: RequestInit): Response => {
      if (init?.method === 'PUT') throw new RangeError('no');
      return new Response(`to ${input}`);
    };
    const { clock, service } = setUp({ respond });
    const response = await clock.runUntilSettled(service('http://a.test/x'));
    expect(await response.text()).toBe('to http://a.test/x');
    await expect(clock.runUntilSettled(service('http://a.test/', { method: 'PUT' }))).rejects.toThrow(
      RangeError,
    );
  });
});

describe('troubles', () => {
  const span = { fromMs: 1_000, untilMs: 2_000 };

  test.each([
    ['refused', ['a ECONNREFUSED at 1000']],
    ['unavailable', ['a 503 at 1000']],
    ['silence', []],
  ] as const)('an outage: %s', async (answer, during) => {
    const { clock, send, seen } = setUp({ troubles: [{ type: 'outage', answer, ...span }] });
    await clock.advance(1_000);
    send('a');
    await clock.advance(1_000);
    send('b');
    await clock.advance(1_000);
    expect(seen).toEqual([...during, 'b 200 at 2100']);
    // A silence is kept for ever, without a timer.
    expect(clock.pending).toBe(0);
  });

  test('it loses what it works on: what waits is reset at once, what is served when it was expected', async () => {
    const { clock, send, seen } = setUp({ troubles: [{ type: 'outage', ...span }] });
    await clock.advance(950);
    for (const name of ['a', 'b', 'c']) send(name);
    await clock.advance(1_000);
    expect(seen).toEqual(['c ECONNRESET at 1000', 'a ECONNRESET at 1050', 'b ECONNRESET at 1050']);
  });

  test('a brown-out leaves a share of the workers, and what waits goes on when it ends', async () => {
    const { clock, send, seen } = setUp({
      troubles: [{ type: 'brown-out', capacityShare: 0, fromMs: 0, untilMs: 2_000 }],
    });
    send('a');
    await clock.advance(3_000);
    expect(seen).toEqual(['a 200 at 2100']);
  });

  test('a slow start brings the workers one by one', async () => {
    const { clock, send, seen } = setUp({
      workers: 4,
      troubles: [{ type: 'slow-start', capacityShare: 0.25, fromMs: 0, untilMs: 3_000 }],
    });
    for (let at = 0; at < 60; at += 1) send('a');
    await clock.advance(10_000);
    const servedBy = (ms: number) => seen.filter((line) => Number(line.split(' ').at(-1)) <= ms).length;
    expect(seen).toHaveLength(60);
    expect(servedBy(500)).toBe(5);
    expect(servedBy(2_000) - servedBy(1_500)).toBeGreaterThan(servedBy(1_000) - servedBy(500));
  });

  test('errors fail a share, and each seed gives the same ones again', async () => {
    const play = async (seed: number): Promise<string[]> => {
      const { clock, send, seen } = setUp(
        { troubles: [{ type: 'errors', share: 0.5, fromMs: 0, untilMs: 1e6 }] },
        seed,
      );
      for (let at = 0; at < 100; at += 1) send(`${at}`);
      await clock.advance(100_000);
      expect(seen).toHaveLength(100);
      return seen;
    };
    const [one, again, other] = await Promise.all([play(1), play(1), play(2)]);
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
    expect(one.filter((line) => line.includes('503')).length).toBeGreaterThan(35);
  });

  test('they count from the call of faults, whatever the clock shows', async () => {
    const { clock, send, seen } = setUp({ troubles: [{ type: 'outage', ...span }] });
    await clock.advance(5_000);
    send('a');
    await clock.advance(1_000);
    expect(seen).toEqual(['a 200 at 5100']);
  });
});

describe('a client that gives up', () => {
  test('learns its own reason, and no timer and no listener is left', async () => {
    const { clock, send, seen, service } = setUp();
    const [one, other] = [new AbortController(), new AbortController()];
    send('a', { signal: one.signal });
    send('b', {}, new Request('http://a.test/', { signal: other.signal }));
    await clock.advance(50);
    for (const controller of [one, other]) controller.abort(new DOMException('late', 'TimeoutError'));
    await clock.advance(0);
    expect(seen).toEqual(['a TimeoutError at 50', 'b TimeoutError at 50']);
    expect([clock.pending, getEventListeners(one.signal, 'abort').length, service.sent]).toEqual([0, 0, 2]);
  });

  test('is served all the same: its worker is busy', async () => {
    const { clock, send, seen } = setUp({ workers: 1 });
    const controller = new AbortController();
    send('a', { signal: controller.signal });
    controller.abort();
    await clock.advance(30);
    send('b');
    await clock.advance(1_000);
    expect(seen).toEqual(['a AbortError at 0', 'b 200 at 200']);
  });

  test('beforehand sends nothing', async () => {
    const { clock, send, seen, service } = setUp();
    send('a', { signal: AbortSignal.abort() });
    await clock.advance(0);
    expect([seen, service.sent, clock.pending]).toEqual([['a AbortError at 0'], 0, 0]);
  });

  test('while its answer is made, does not get it', async () => {
    const { clock, send, seen } = setUp({ respond: () => new Promise(() => undefined) });
    const controller = new AbortController();
    send('a', { signal: controller.signal });
    await clock.advance(500);
    controller.abort();
    await clock.advance(0);
    expect([seen, clock.pending]).toEqual([['a AbortError at 500'], 0]);
  });

  test('an answer that is there is not taken back', async () => {
    const { clock, send, seen } = setUp();
    const controller = new AbortController();
    send('a', { signal: controller.signal });
    await clock.advance(100);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    controller.abort();
    await clock.advance(100);
    expect(seen).toEqual(['a 200 at 100']);
  });
});

test('in real time it takes its time', async () => {
  const service = faults({ workers: 1, serviceMs: 30, serviceSpread: 'constant' });
  const beganMs = performance.now();
  const [one, other] = await Promise.all([service('http://a.test/'), service('http://a.test/')]);
  expect([one.status, other.status]).toEqual([200, 200]);
  expect(performance.now() - beganMs).toBeGreaterThanOrEqual(59);
});

describe('wrong options', () => {
  const trouble = { type: 'outage', fromMs: 0, untilMs: 1 };
  test.each<[options: unknown, error: typeof TypeError | typeof RangeError, message: string]>([
    [{ workers: 0 }, RangeError, 'faults: workers must be a whole number ≥ 1, got 0'],
    [{ workers: undefined }, TypeError, 'faults: workers must be a whole number ≥ 1, got undefined'],
    [{ serviceMs: -1 }, RangeError, 'faults: serviceMs must be a finite number > 0, got -1'],
    [{ serviceSpread: 'normal' }, RangeError, 'faults: serviceSpread must be one of'],
    [
      { stragglers: { share: 2, factor: 2 } },
      RangeError,
      'faults: stragglers.share must be a number from 0 to 1, got 2',
    ],
    [{ stragglers: { share: 0.1 } }, TypeError, 'faults: stragglers.factor must be a finite number > 0'],
    [{ stragglers: 3 }, TypeError, 'faults: stragglers must be an object, got 3'],
    [{ maxQueue: 0.5 }, RangeError, 'faults: maxQueue must be a whole number ≥ 0, got 0.5'],
    [{ queueFull: 'full' }, RangeError, "faults: queueFull must be one of 'unavailable', 'too-many'"],
    [{ retryAfterSeconds: -1 }, RangeError, 'faults: retryAfterSeconds must be a whole number ≥ 0'],
    [{ limit: { capacity: 1 } }, TypeError, 'faults: limit.refillPerSecond must be'],
    [{ limit: { limits: {} } }, TypeError, 'faults: limit has no option "limits"'],
    [{ shards: 0 }, RangeError, 'faults: shards must be a whole number ≥ 1'],
    [{ troubles: {} }, TypeError, 'faults: troubles must be a list'],
    [{ troubles: [trouble, 1] }, TypeError, 'faults: troubles[1] must be a trouble, got 1'],
    [{ troubles: [{ ...trouble, type: 'fire' }] }, RangeError, 'faults: troubles[0].type must be one of'],
    [{ troubles: [{ ...trouble, answer: 'no' }] }, RangeError, 'faults: troubles[0].answer must be one of'],
    [{ troubles: [{ ...trouble, share: 1 }] }, TypeError, 'faults: troubles[0] has no option "share"'],
    [
      { troubles: [{ ...trouble, fromMs: 1 }] },
      RangeError,
      'faults: troubles[0].untilMs must be a number > fromMs, 1, got 1',
    ],
    [
      { troubles: [{ ...trouble, shard: 1 }] },
      RangeError,
      'faults: troubles[0].shard must be a number < shards, 1, got 1',
    ],
    [{ respond: 'ok' }, TypeError, 'faults: respond must be a function'],
    [{ clock: {} }, TypeError, 'faults: clock must be a clock'],
    [{ seed: 1 }, TypeError, 'faults has no option "seed"'],
  ])('%j', (options, error, message) => {
    const make = (): unknown => faults({ ...EASY, ...(options as object) });
    expect(make).toThrow(message);
    expect(make).toThrow(error);
  });

  test('a seed is a number', () => {
    expect(() => faults(EASY, Number.NaN)).toThrow('faults: seed must be a finite number, got NaN');
    expect(() => faults(EASY, '1' as never)).toThrow(TypeError);
    expect(() => faults(undefined as never)).toThrow('faults: options must be an object');
  });
});
