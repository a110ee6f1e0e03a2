import type { NotSentError } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { World } from '../test/world.ts';
import type { DurableBucket } from './index.ts';

const refusal = (reason: string) => expect.objectContaining({ name: 'NotSentError', reason });

/** Acquires a token so many times, one right after the other. */
async function spend(world: World, bucket: DurableBucket, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    const acquired = bucket.acquire();
    await world.clock.runUntilSettled(acquired);
  }
}

describe('leases', () => {
  test('requests of one turn share a call', async () => {
    const world = new World();
    const bucket = world.bucket();
    const acquired = Promise.all(Array.from({ length: 10 }, () => bucket.acquire()));
    await world.clock.advance(10);
    expect(await world.fateOf(acquired)).toHaveLength(10);
    expect(world.calls).toHaveLength(2);
    expect(bucket.stats()).toMatchObject({ mode: 'shared', isolates: 1, calls: 2, granted: 10, losses: 0 });
  });

  test('the call is handed to waitUntil, and ends there', async () => {
    const world = new World();
    void world.bucket().acquire();
    expect(world.promises).toHaveLength(1);
    expect(await world.fateOf(Promise.all(world.promises), 10)).toEqual([undefined]);
  });

  test('a quiet isolate leases no more than it needs', async () => {
    const world = new World();
    const bucket = world.bucket();
    for (let at = 0; at < 5; at += 1) {
      await spend(world, bucket, 1);
      expect(bucket.stats().leased).toBe(0);
      await world.clock.advance(1_000);
    }
    expect(world.calls).toHaveLength(5);
  });
});

describe('a call whose request has ended', () => {
  /** Requests of a worker take their timers with them: while `isGone`, a call is neither answered nor given up. */
  function leaving() {
    const world = new World();
    const { clock } = world;
    const state = { isGone: false };
    const bucket = world.bucket({
      clock: {
        now: () => clock.now(),
        schedule: (wake, delayMs, inBackground, isWait) =>
          state.isGone && !isWait ? () => undefined : clock.schedule(wake, delayMs, inBackground, isWait),
      },
      timeoutMs: 500,
    });
    const leave = (isGone: boolean): void => {
      state.isGone = isGone;
      world.behaviour = isGone ? 'hangs' : 'replies';
    };
    return { world, clock, bucket, leave };
  }

  test('is made again by another one', async () => {
    const { world, clock, bucket, leave } = leaving();
    leave(true);
    const acquired = [bucket.acquire()];
    await clock.advance(300);
    acquired.push(bucket.acquire());
    leave(false);
    await clock.advance(299);
    expect(world.calls).toHaveLength(1);
    expect(await world.fateOf(Promise.all(acquired), 11)).toHaveLength(2);
    expect(bucket.stats()).toMatchObject({ mode: 'shared', losses: 0 });
  });

  test.each([
    ['by the next', false],
    ['also if a pause was said meanwhile', true],
  ])('has its tokens charged %s, once', async (_, isPaused) => {
    const { world, clock, bucket, leave } = leaving();
    const grant = await world.fateOf(bucket.acquire(), 10);
    (grant as { settle(cost: number): void }).settle(11);
    leave(true);
    const acquired = bucket.acquire();
    await clock.advance(100);
    leave(false);
    if (isPaused) bucket.pauseFor(100);
    await clock.advance(1_500);
    await acquired;
    for (let time = 0; time < 2; time += 1) {
      await clock.advance(1_000);
      await world.fateOf(bucket.acquire(), 10);
    }
    const charged = world.calls.map(({ spent }) => spent);
    expect(charged.slice(0, 2)).toEqual([0, 10]);
    expect(charged.slice(2).reduce((sum, spent) => sum + spent, 0)).toBe(10);
  });
});

describe('deadlines', () => {
  test('the object refuses what comes too late, and others go on', async () => {
    const world = new World();
    const bucket = world.bucket();
    await world.fateOf(world.bucket().acquire({ cost: 20 }), 10);
    const [late, patient] = [bucket.acquire({ cost: 20, maxWaitMs: 50 }), bucket.acquire({ cost: 1 })];
    expect(await world.fateOf(late, 15)).toEqual(refusal('wait-too-long'));
    expect(await world.fateOf(patient, 60)).toHaveProperty('cost', 1);
    // It knows now: no call is made for that.
    const { length } = world.calls;
    expect(await world.fateOf(bucket.acquire({ cost: 20, maxWaitMs: 50 }))).toEqual(refusal('wait-too-long'));
    expect(world.calls).toHaveLength(length);
  });

  test('a request that must not wait is refused, with a call if tokens may be there', async () => {
    const world = new World();
    const bucket = world.bucket({ nonConforming: 'reject' });
    await world.fateOf(world.bucket().acquire({ cost: 20 }), 10);
    expect(await world.fateOf(bucket.acquire({ cost: 5 }), 10)).toEqual(refusal('not-conforming'));
    expect(await world.fateOf(bucket.acquire({ cost: 5 }), 10)).toEqual(refusal('not-conforming'));
    expect(world.calls).toHaveLength(2);
    expect(await world.fateOf(bucket.acquire({ cost: 5 }), 60)).toEqual(refusal('not-conforming'));
    expect(await world.fateOf(bucket.acquire({ cost: 5 }), 10)).toHaveProperty('conforming', true);
  });
});

describe('pauses', () => {
  test('a pause reaches the other isolates with their next call, and so does its end', async () => {
    const world = new World();
    const [one, other] = [world.bucket(), world.bucket()];
    await world.fateOf(Promise.all([one.acquire(), other.acquire()]), 10);
    one.pauseFor(10_000);
    await world.clock.advance(10);
    const waiting = other.acquire();
    expect(await world.fateOf(waiting, 1_500)).toBe('waits');
    expect(other.stats().pausedMs).toBeCloseTo(10_000 - 1_500 - 10 + 5, -2);
    one.resume();
    expect(await world.fateOf(waiting, 1_100)).toHaveProperty('cost', 1);
    expect([one, other].map((bucket) => bucket.stats().pausedMs)).toEqual([0, 0]);
  });

  test('a pause leaves no leased tokens, and starts from empty', async () => {
    const world = new World();
    const bucket = world.bucket();
    await spend(world, bucket, 10);
    bucket.pauseFor(1_000);
    expect(bucket.stats()).toMatchObject({ leased: 0, pausedMs: 1_000 });
    const waiting = bucket.acquire({ cost: 10 });
    expect(await world.fateOf(waiting, 1_090)).toBe('waits');
    expect(await world.fateOf(waiting, 30)).toHaveProperty('cost', 10);
  });

  test('a pause that was not said before it is over ends no other one', async () => {
    const world = new World();
    const [one, other] = [world.bucket(), world.bucket()];
    other.pauseFor(5_000);
    world.behaviour = 'throws';
    one.pauseFor(100);
    await world.clock.advance(1_000);
    expect(one.stats().losses).toBe(1);
    world.behaviour = 'replies';
    world.tokens.pausedUntilMs = 5_000;
    await world.fateOf(one.acquire(), 1_000);
    expect(one.stats().pausedMs).toBeGreaterThan(2_000);
  });
});

test('the reply to an earlier call does not begin a pause again', async () => {
  const world = new World();
  const bucket = world.bucket();
  bucket.pauseFor(5_000);
  await world.clock.advance(3);
  bucket.resume();
  await world.clock.advance(8);
  expect(world.replies.map(({ pausedMs }) => pausedMs)).toEqual([5_000]);
  expect(bucket.stats().pausedMs).toBe(0);
});

test('a busy isolate leases ahead of its requests', async () => {
  const world = new World();
  const bucket = world.bucket();
  await world.fateOf(Promise.all(Array.from({ length: 10 }, () => bucket.acquire())), 21);
  const { length } = world.calls;
  expect(bucket.stats().leased).toBeGreaterThan(6);
  for (let at = 0; at < 6; at += 1) expect(bucket.tryAcquire()).toBeDefined();
  await world.clock.advance(0);
  expect(world.calls).toHaveLength(length + 1);
  expect(world.calls.at(-1)).toMatchObject({ least: 0 });
});

test('a call that fails after a later one got a reply loses nothing', async () => {
  const world = new World();
  const bucket = world.bucket();
  world.behaviour = 'hangs';
  const acquired = bucket.acquire();
  await world.clock.advance(6);
  world.behaviour = 'replies';
  bucket.pauseFor(50);
  expect(await world.fateOf(acquired, 1_200)).toHaveProperty('cost', 1);
  expect(bucket.stats()).toMatchObject({ mode: 'shared', losses: 0 });
});

test('a call that takes too long is aborted, and attempts to reach the object come after ever longer delays', async () => {
  const world = new World();
  const sent: { readonly atMs: number; readonly signal: AbortSignal }[] = [];
  const bucket = world.bucket({
    onStoreError: 'open',
    timeoutMs: 20,
    object: () => ({
      fetch: (_, { signal }) => {
        sent.push({ atMs: world.clock.now(), signal });
        return new Promise(() => undefined);
      },
    }),
  });
  for (let at = 0; at < 200; at += 1) {
    void bucket.acquire();
    await world.clock.advance(10);
  }
  expect(sent[0]?.signal.aborted).toBe(true);
  const delays = sent.slice(1).map(({ atMs }, at) => atMs - (sent[at]?.atMs ?? 0));
  expect(delays.slice(0, 5)).toEqual([100, 170, 320, 400, 400]);
});

test('an isolate that has not reached the object for a minute has no share', async () => {
  const world = new World();
  const bucket = world.bucket();
  await spend(world, bucket, 1);
  await world.clock.advance(60_001);
  world.behaviour = 'throws';
  expect(await world.fateOf(bucket.acquire(), 100)).toEqual(refusal('unavailable'));
});

test('what a failed call was to charge is charged by the next', async () => {
  const world = new World();
  const bucket = world.bucket();
  const grant = await world.fateOf(bucket.acquire(), 10);
  (grant as { settle(cost: number): void }).settle(5);
  world.behaviour = 'throws';
  void bucket.acquire();
  await world.clock.advance(6);
  world.behaviour = 'replies';
  await world.clock.advance(1_000);
  await world.fateOf(bucket.acquire(), 10);
  expect(world.calls.slice(0, 3).map(({ spent }) => spent)).toEqual([0, 4, 4]);
});

describe.each(['throws', 'refuses', 'hangs'] as const)('an object that %s', (behaviour) => {
  const FAILS_MS = behaviour === 'hangs' ? 1_000 : 5;

  test('is reached again, and no request waits for it for longer than a call may take', async () => {
    const world = new World();
    const bucket = world.bucket({ onStoreError: 'closed' });
    await spend(world, bucket, 1);
    world.behaviour = behaviour;
    const failed = await world.fateOf(bucket.acquire({ cost: 20 }), FAILS_MS);
    expect(failed).toEqual(refusal('unavailable'));
    expect((failed as NotSentError).cause).toBeInstanceOf(Error);
    expect(bucket.stats()).toMatchObject({ mode: 'closed', losses: 1 });
    // At once, until the next attempt.
    expect(await world.fateOf(bucket.acquire())).toEqual(refusal('unavailable'));
    for (let at = 0; at < 5; at += 1) {
      await world.clock.advance(600);
      expect(await world.fateOf(bucket.acquire(), FAILS_MS)).toEqual(refusal('unavailable'));
    }
    world.behaviour = 'replies';
    await world.clock.advance(600);
    expect(await world.fateOf(bucket.acquire(), 10)).toHaveProperty('conforming', true);
    expect(bucket.stats()).toMatchObject({ mode: 'shared', losses: 1 });
  });

  test('is done without, if the program says so', async () => {
    const world = new World();
    const bucket = world.bucket({ onStoreError: 'open' });
    world.behaviour = behaviour;
    expect(await world.fateOf(bucket.acquire(), FAILS_MS)).toHaveProperty('conforming', false);
    expect(await world.fateOf(bucket.acquire({ cost: 20 }))).toHaveProperty('conforming', false);
    expect(bucket.stats()).toMatchObject({ mode: 'open', marked: 2 });
  });

  test('leaves each isolate its share, from empty', async () => {
    const world = new World();
    const buckets = Array.from({ length: 4 }, () => world.bucket());
    await world.fateOf(Promise.all(buckets.map((bucket) => bucket.acquire())), 10);
    world.behaviour = behaviour;
    const counts = buckets.map(() => 0);
    const isOver = world.clock.now() + FAILS_MS + 4_000;
    for (const [of, bucket] of buckets.entries())
      void (async () => {
        while (world.clock.now() < isOver) {
          await bucket.acquire();
          counts[of] = (counts[of] as number) + 1;
        }
      })();
    await world.clock.advance(FAILS_MS + 5_000);
    // The first isolate was told that it is alone: shares are those of the last reply.
    expect(counts.slice(1).map((count, at) => count / (400 / (at + 2)))).toEqual(
      counts.slice(1).map(() => expect.closeTo(1, 0)),
    );
    expect(buckets.map((bucket) => bucket.stats().mode)).toEqual(Array(4).fill('local'));
  });
});

describe('an object that was never reached', () => {
  test.each([
    [undefined, 'closed', refusal('unavailable')],
    [0.5, 'local', expect.objectContaining({ cost: 1 })],
  ] as const)('with a local share of %s it is %s', async (localShare, mode, expected) => {
    const world = new World();
    world.behaviour = 'throws';
    const bucket = world.bucket({ localShare });
    expect(await world.fateOf(bucket.acquire(), 100)).toEqual(expected);
    expect(bucket.stats().mode).toBe(mode);
  });

  test('what was spent meanwhile is charged, at most the share of the capacity', async () => {
    const world = new World();
    world.behaviour = 'throws';
    const bucket = world.bucket({ localShare: 0.5 });
    await world.fateOf(bucket.acquire(), 2_000);
    await world.fateOf(Promise.all(Array.from({ length: 30 }, () => bucket.acquire())), 2_000);
    world.behaviour = 'replies';
    await world.fateOf(bucket.acquire(), 1_000);
    await world.fateOf(bucket.acquire({ cost: 20 }), 1_000);
    expect(world.calls.map(({ spent }) => spent)).toContain(10);
  });

  test('a request that costs more than the share holds is sent in its turn', async () => {
    const world = new World();
    world.behaviour = 'throws';
    const bucket = world.bucket({ localShare: 0.1 });
    const sent = Promise.all([bucket.acquire({ cost: 20 }), bucket.acquire()]);
    expect(await world.fateOf(sent, 1_900)).toBe('waits');
    expect(await world.fateOf(sent, 500)).toHaveLength(2);
  });
});

test('an idle bucket says so', async () => {
  const world = new World();
  const bucket = world.bucket();
  expect(bucket.stats()).toMatchObject({ idle: true, tokens: 20 });
  await spend(world, bucket, 3);
  expect(bucket.stats().idle).toBe(false);
  await world.clock.advance(1_000);
  expect(bucket.tryAcquire(20)).toBeUndefined();
  expect(bucket.waitMs(20)).toBe(0);
});

test.each([
  [{ refillPerSecond: 0 }, RangeError, 'durableBucket: refillPerSecond'],
  [{ aheadMs: 0.5 }, RangeError, 'durableBucket: aheadMs must be a number ≥ 1'],
  [{ object: undefined as never }, TypeError, 'durableBucket: object'],
  [{ waitUntil: undefined as never }, TypeError, 'durableBucket: waitUntil'],
  [{ onStoreError: 'loud' as never }, RangeError, 'durableBucket: onStoreError'],
  [{ localShare: 2 }, RangeError, 'durableBucket: localShare'],
])('wrong options are told: %j', (options, type, message) => {
  const make = () => new World().bucket(options);
  expect(make).toThrow(type);
  expect(make).toThrow(message);
});
