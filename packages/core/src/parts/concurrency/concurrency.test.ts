import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Slot } from '../../policy/contracts.ts';
import { priorityQueue } from '../../queue/order.ts';
import { virtualClock } from '../../testing.ts';
import { perKey } from '../per-key/per-key.ts';
import { type ConcurrencyOptions, concurrencyLimit } from './concurrency.ts';

function setUp(options: Partial<ConcurrencyOptions> = {}) {
  const clock = virtualClock({ startMs: 0 });
  const limit = concurrencyLimit({ maxConcurrent: 2, clock, ...options });
  const lines: string[] = [];
  const slots = new Map<string, Slot>();
  const ask = (name: string, asked?: Parameters<typeof limit.acquire>[0]): void => {
    limit.acquire(asked).then(
      (slot) => {
        slots.set(name, slot);
        lines.push(`${name} ${slot.waitedMs}`);
      },
      (error) => lines.push(`${name} ${error.reason ?? error}`),
    );
  };
  return { limit, clock, lines, slots, ask };
}

test('no request gets a slot after its deadline, even if no timer has said so yet', async () => {
  let nowMs = 0;
  const clock = { now: () => nowMs, schedule: () => () => undefined };
  const { lines, slots, ask } = setUp({ maxConcurrent: 1, clock });
  ask('a');
  ask('late', { maxWaitMs: 100 });
  ask('in time', { maxWaitMs: 150 });
  await undefined;
  nowMs = 150;
  slots.get('a')?.release();
  for (let turn = 0; turn < 5; turn += 1) await undefined;
  expect(lines.toSorted()).toEqual(['a 0', 'in time 150', 'late wait-too-long']);
});

test('maxConcurrent requests go at once, the others in order', async () => {
  const { limit, clock, lines, slots, ask } = setUp();
  for (const name of ['a', 'b', 'c', 'd']) ask(name);
  await clock.advance(100);
  expect(lines).toEqual(['a 0', 'b 0']);
  expect(limit.tryAcquire()).toBeUndefined();
  slots.get('b')?.release();
  await clock.advance(50);
  slots.get('a')?.release();
  await clock.advance(0);
  expect(lines).toEqual(['a 0', 'b 0', 'c 100', 'd 150']);
  expect(limit.stats()).toEqual({ inUse: 2, maxConcurrent: 2, waiting: 0, refused: 0 });
  expect(clock.pending).toBe(0);
});

test('a slot that is released twice is released once', () => {
  const { limit } = setUp();
  const [first] = [limit.tryAcquire(), limit.tryAcquire()];
  first?.release();
  first?.release();
  expect(limit.stats().inUse).toBe(1);
  expect([limit.tryAcquire(), limit.tryAcquire()].map((slot) => slot !== undefined)).toEqual([true, false]);
});

test('no request overtakes the queue', async () => {
  const { limit, slots, ask, clock } = setUp({ maxConcurrent: 1 });
  ask('a');
  ask('b');
  await clock.advance(0);
  slots.get('a')?.release();
  expect(limit.tryAcquire()).toBeUndefined();
});

test('retries go before new requests, higher priorities before lower ones', async () => {
  const { limit, clock, lines, slots, ask } = setUp({ maxConcurrent: 1, queue: priorityQueue() });
  const held = limit.tryAcquire();
  ask('new');
  ask('retry', { retry: true });
  ask('high', { priority: 3 });
  held?.release();
  for (let turn = 0; turn < 3; turn += 1) {
    await clock.advance(0);
    slots.get(lines.at(-1)?.split(' ')[0] ?? '')?.release();
  }
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['high', 'retry', 'new']);
});

test('a wait ends at its deadline, with one timer for all, and none without deadlines', async () => {
  const { limit, clock, lines, ask } = setUp({ maxConcurrent: 1 });
  limit.tryAcquire();
  ask('patient');
  expect(clock.pending).toBe(0);
  ask('late', { maxWaitMs: 200 });
  ask('early', { maxWaitMs: 100 });
  ask('never', { maxWaitMs: 0 });
  expect(clock.pending).toBe(1);
  await clock.advance(150);
  expect(lines).toEqual(['never wait-too-long', 'early wait-too-long']);
  await clock.advance(100);
  expect(lines.at(-1)).toBe('late wait-too-long');
  expect(limit.stats()).toMatchObject({ waiting: 1, refused: 3 });
  expect(clock.pending).toBe(0);
});

test('a full queue refuses', async () => {
  const { limit, clock, lines, ask } = setUp({ maxConcurrent: 1, maxQueue: 1 });
  limit.tryAcquire();
  ask('first');
  ask('second');
  await clock.advance(0);
  expect(lines).toEqual(['second queue-full']);
});

test('an abort ends the wait with its own reason, and takes no slot', async () => {
  const { limit, clock, lines, ask } = setUp({ maxConcurrent: 1 });
  const held = limit.tryAcquire();
  const controller = new AbortController();
  const remove = vi.spyOn(controller.signal, 'removeEventListener');
  ask('gone', { signal: controller.signal });
  controller.abort('enough');
  await clock.advance(0);
  held?.release();
  expect(lines).toEqual(['gone enough']);
  expect(remove).toHaveBeenCalled();
  await expect(limit.acquire({ signal: controller.signal })).rejects.toBe('enough');
  expect(limit.stats()).toMatchObject({ inUse: 0, waiting: 0, refused: 0 });
});

test('a limit per key is kept while a slot of it is held', () => {
  const clock = virtualClock({ startMs: 0 });
  const limits = perKey(() => concurrencyLimit({ maxConcurrent: 1, clock }), { clock, idleMs: 10 });
  const to = (url: string) => limits.for({ url, method: 'GET', replayable: true, header: () => undefined });
  const held = to('https://a.test/1').tryAcquire();
  expect(to('https://a.test/2').tryAcquire()).toBeUndefined();
  expect(to('https://b.test/').tryAcquire()).toBeDefined();
  const visit = () => {
    clock.tick(100);
    for (let time = 0; time < 10; time += 1) to('https://c.test/');
  };
  visit();
  expect(limits.size).toBe(3);
  held?.release();
  visit();
  expect(limits.size).toBe(2);
});

describe('wrong options', () => {
  test.each<[options: unknown, message: string]>([
    [{}, 'concurrencyLimit: maxConcurrent must be a whole number ≥ 1, got undefined'],
    [{ maxConcurrent: 0 }, 'maxConcurrent must be a whole number ≥ 1, got 0'],
    [{ maxConcurrent: 1.5 }, 'maxConcurrent must be a whole number ≥ 1, got 1.5'],
    [{ maxConcurrent: 1, maxQueue: -1 }, 'maxQueue must be a whole number ≥ 0'],
    [{ maxConcurrent: 1, concurrency: 1 }, 'concurrencyLimit has no option "concurrency"'],
  ])('%j', (options, message) => {
    expect(() => concurrencyLimit(options as ConcurrencyOptions)).toThrow(message);
  });

  test('wrong options of acquire are refused even if slots are free', async () => {
    await expect(setUp().limit.acquire({ priority: 1 })).rejects.toThrow('without `queue: priorityQueue()`');
    const { limit } = setUp({ queue: priorityQueue() });
    await expect(limit.acquire({ priority: 99 })).rejects.toThrow(RangeError);
  });
});

test('never more than maxConcurrent slots are held, and every request is settled', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), maxWaitMs: fc.option(fc.nat(100), { nil: undefined }) }),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat(50) }),
    fc.record({ kind: fc.constant('abort' as const), which: fc.nat(50) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(60) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (most, steps) => {
        const clock = virtualClock({ startMs: 0 });
        const limit = concurrencyLimit({ maxConcurrent: most, clock });
        const controllers: AbortController[] = [];
        const held: Slot[] = [];
        let ended = 0;
        for (const step of steps) {
          if (step.kind === 'ask') {
            const controller = new AbortController();
            controllers.push(controller);
            limit.acquire({ signal: controller.signal, maxWaitMs: step.maxWaitMs }).then(
              (slot) => held.push(slot),
              () => {
                ended += 1;
              },
            );
          } else if (step.kind === 'release') {
            const [slot] = held.splice(step.which % Math.max(1, held.length), 1);
            slot?.release();
            if (slot !== undefined) ended += 1;
          } else if (step.kind === 'abort')
            controllers[step.which % Math.max(1, controllers.length)]?.abort();
          else clock.tick(step.ms);
          for (let turn = 0; turn < 5; turn += 1) await undefined;
          const { inUse, waiting } = limit.stats();
          expect(inUse).toBe(held.length);
          expect(inUse).toBeLessThanOrEqual(most);
          if (waiting > 0) expect(inUse).toBe(most);
          expect(ended + held.length + waiting).toBe(controllers.length);
        }
      },
    ),
    { numRuns: 500 },
  );
});
