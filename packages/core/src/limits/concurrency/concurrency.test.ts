import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { step } from '../../../test/histories.ts';
import type { Slot } from '../../policy/contracts.ts';
import { virtualClock } from '../../testing.ts';
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

describe('wrong options', () => {
  test.each<[options: unknown, message: string]>([
    [{}, 'concurrencyLimit: maxConcurrent must be a whole number ≥ 1, got undefined'],
    [{ maxConcurrent: 0 }, 'maxConcurrent must be a whole number ≥ 1, got 0'],
    [{ maxConcurrent: 1, concurrency: 1 }, 'concurrencyLimit has no option "concurrency"'],
  ])('%j', (options, message) => {
    expect(() => concurrencyLimit(options as ConcurrencyOptions)).toThrow(message);
  });
});

test('never more than maxConcurrent slots are held, and every request is settled', async () => {
  const steps = fc.oneof(
    step(1, 'ask', { maxWaitMs: fc.option(fc.nat(100), { nil: undefined }) }),
    step(1, 'release', { which: fc.nat(50) }),
    step(1, 'abort', { which: fc.nat(50) }),
    step(1, 'pass', { ms: fc.nat(60) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(steps, { maxLength: 60 }),
      async (most, history) => {
        const clock = virtualClock({ startMs: 0 });
        const limit = concurrencyLimit({ maxConcurrent: most, clock });
        const controllers: AbortController[] = [];
        const held: Slot[] = [];
        let ended = 0;
        for (const step of history) {
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
    { numRuns: runs(500) },
  );
});
