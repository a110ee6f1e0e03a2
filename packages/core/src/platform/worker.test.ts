import { describe, expect, test, vi } from 'vitest';
import { clockOfWorker, controller, ended, inRequest } from '../../../../test/worker-requests.ts';
import { bucketSetup, Level, WaitingBucket } from '../bucket.ts';
import {
  type AcquireOptions,
  concurrencyLimit,
  quotaBucket,
  refreshOn401,
  retry,
  tokenBucket,
} from '../index.ts';

vi.mock('#worker', () => import('./worker.ts'));

describe('requests that wait at a bucket', () => {
  /** A token comes each 100 ms; there is none at first. */
  function setUp(options: Partial<Parameters<typeof tokenBucket>[0]> = {}) {
    const { clock, advance, timers } = clockOfWorker();
    const bucket = tokenBucket({ refillPerSecond: 10, capacity: 1, initialTokens: 0, clock, ...options });
    const told: string[] = [];
    const wait = (name: string, acquire: AcquireOptions = {}): void => {
      inRequest(name, () => bucket.acquire(acquire)).then(
        () => told.push(`${name} ${clock.now()}`),
        (error: Error) => told.push(`${name} ${clock.now()} ${error.message}`),
      );
    };
    return { bucket, told, wait, advance, timers };
  }

  test('get their tokens when the timer of the first has ended with its request', async () => {
    const { told, wait, advance } = setUp();
    wait('a');
    wait('b');
    wait('c');
    ended.add('a');
    await advance(1_000);
    // The token of the one that has ended is lost: nothing tells of its end.
    expect(told).toEqual(['a 100', 'b 200', 'c 300']);
  });

  test('are refused at their own deadline', async () => {
    const { bucket, told, wait, advance } = setUp({ maxWaitMs: 250 });
    wait('a');
    ended.add('a');
    wait('b');
    bucket.setRate(0.001);
    await advance(250);
    expect(told.map((text) => text.slice(0, 5))).toEqual(['a 250', 'b 250']);
  });

  test('have signals that others cannot ask', async () => {
    const { told, wait, advance } = setUp();
    const [one, other] = [inRequest('a', controller), inRequest('b', controller)];
    wait('a', { signal: one.signal });
    wait('b', { signal: other.signal });
    await advance(50);
    inRequest('a', () => one.abort(new Error('gone')));
    ended.add('a');
    await advance(1_000);
    expect(told).toEqual(['a 50 gone', 'b 100']);
  });

  test('look again if others went before them', async () => {
    const { told, wait, advance } = setUp();
    wait('a');
    wait('b', { retry: true });
    ended.add('b');
    await advance(1_000);
    expect(told).toEqual(['b 100', 'a 200']);
  });

  test('notice that another request has ended a pause', async () => {
    const { bucket, told, wait, advance } = setUp();
    bucket.pauseFor(60_000);
    wait('a');
    await advance(200);
    inRequest('b', () => bucket.resume());
    ended.add('b');
    await advance(2_000);
    // A token has come at 300.
    expect(told).toEqual(['a 1000']);
  });

  test('look at a long queue a few times each', async () => {
    const { told, wait, advance, timers } = setUp();
    for (let one = 0; one < 100; one += 1) wait(`${one}`);
    await advance(10_000);
    expect(told).toHaveLength(100);
    expect(timers()).toBeLessThan(100 * 20);
  });

  test('are waited for by `idle`, which serves them', async () => {
    const { bucket, told, wait, advance } = setUp();
    wait('a');
    ended.add('a');
    let isIdle = false;
    void inRequest('b', () => bucket.idle()).then(() => {
      isIdle = true;
    });
    await advance(99);
    expect(isIdle).toBe(false);
    await advance(2);
    expect([isIdle, told.length]).toEqual([true, 1]);
  });
});

class StoreBucket extends WaitingBucket<Level> {
  constructor() {
    const setup = bucketSetup({ refillPerSecond: 1 });
    super(setup, () => new Level(setup));
  }
}

describe('what makes calls wait for each other belongs to a request', () => {
  const slots = () => concurrencyLimit({ maxConcurrent: 9 });
  const settled = () =>
    quotaBucket({ limits: { tokens: { refillPerSecond: 1, capacity: 9, chargeOn: 'completion' } } });
  const refreshing = () => ({
    trustedOrigins: ['https://a.test'],
    plugins: [refreshOn401({ refresh: () => ({}) })],
  });

  /** A row, with what uses that which was made. */
  const row = <T>(name: string, make: () => T, use: (made: T) => unknown) => [name, make, use] as const;
  const rows = [
    row('concurrencyLimit', slots, (limit) => limit.acquire()),
    row('concurrencyLimit', slots, async (limit) => limit.tryAcquire()),
    row('quotaBucket: chargeOn', settled, (bucket) => bucket.acquire()),
    row('quotaBucket: chargeOn', settled, async (bucket) => bucket.tryAcquire()),
    row(
      'a bucket whose tokens a store holds',
      () => new StoreBucket(),
      (bucket) => bucket.acquire(),
    ),
    row('refreshOn401', refreshing, (options) => retry(async () => 'done', options)),
  ] as unknown as readonly (readonly [name: string, make: () => never, use: (made: never) => unknown])[];

  test.each(rows)('%s', async (name, make, use) => {
    const ours = inRequest('a', make);
    await expect(inRequest('a', () => use(ours))).resolves.toBeDefined();
    const refused = new RegExp(`^${name}: .* cannot wait for another one: .*/docs/guide/workers.md$`);
    await expect(inRequest('b', () => use(ours))).rejects.toThrow(refused);
    const ofAll = inRequest(undefined, make);
    await expect(inRequest('a', () => use(ofAll))).rejects.toThrow(refused);
  });

  test('also while others wait for it', async () => {
    const limit = inRequest('a', () => concurrencyLimit({ maxConcurrent: 1 }));
    const [slot, waiting] = inRequest('a', () => [limit.tryAcquire(), limit.acquire()]);
    await expect(inRequest('b', () => limit.acquire())).rejects.toThrow(TypeError);
    inRequest('a', () => slot?.release());
    await expect(waiting).resolves.toBeDefined();
  });
});
