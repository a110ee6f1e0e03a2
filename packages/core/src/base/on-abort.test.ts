import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { virtualClock } from '../testing.ts';
import { onAbort, sleep } from './signals.ts';

/** A signal that counts its listeners. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  let added = 0;
  const add = signal.addEventListener.bind(signal) as (...of: unknown[]) => void;
  const remove = signal.removeEventListener.bind(signal) as (...of: unknown[]) => void;
  signal.addEventListener = (type: string, listener: unknown, ...options: unknown[]) => {
    added += 1;
    listeners.add(listener);
    add(type, listener, ...options);
  };
  signal.removeEventListener = (type: string, listener: unknown, ...options: unknown[]) => {
    if (type === 'abort') listeners.delete(listener);
    remove(type, listener, ...options);
  };
  return { controller, signal, listeners, added: () => added };
}

describe('onAbort', () => {
  test('a call may cancel another, and itself', () => {
    const { controller, signal } = countedSignal();
    const seen: string[] = [];
    const off: (() => void)[] = [];
    off.push(
      onAbort(signal, () => {
        seen.push('a');
        for (const each of off) each();
      }),
      onAbort(signal, () => seen.push('b')),
    );
    controller.abort();
    expect(seen).toEqual(['a']);
  });

  test('never calls under an aborted signal, even if added during the abort', () => {
    const { controller, signal, listeners } = countedSignal();
    const late = vi.fn();
    onAbort(signal, () => onAbort(signal, late)());
    controller.abort();
    onAbort(signal, late)();
    expect(late).not.toHaveBeenCalled();
    expect(listeners.size).toBe(0);
  });

  test('behaves like separate listeners', () => {
    const step = fc.oneof(
      fc.constant({ add: true, at: 0 }),
      fc.record({ add: fc.constant(false), at: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const { controller, signal, listeners } = countedSignal();
        const seen: number[] = [];
        const there: { id: number; off: () => void }[] = [];
        steps.forEach(({ add, at }, id) => {
          if (add) there.push({ id, off: onAbort(signal, () => seen.push(id)) });
          else if (there.length > 0) {
            const [one] = there.splice(at % there.length, 1);
            one?.off();
            one?.off();
          }
          expect(listeners.size).toBe(there.length > 0 ? 1 : 0);
        });
        controller.abort();
        controller.abort();
        expect(seen).toEqual(there.map(({ id }) => id));
        expect(listeners.size).toBe(0);
      }),
    );
  });
});

test('a sleep keeps the process alive, and is a wait: a virtual clock may move to its end', () => {
  const clock = virtualClock({ startMs: 0 });
  const schedule = vi.spyOn(clock, 'schedule');
  void sleep(clock, 5);
  expect(schedule.mock.calls).toEqual([[expect.any(Function), 5, false, true]]);
});

describe('32,000 sleeps under one signal', () => {
  const MANY = 32_000;

  test.each(['aborted', 'woken'])('share one listener, which is removed when all are %s', async (how) => {
    const clock = virtualClock({ startMs: 0 });
    const { controller, signal, listeners, added } = countedSignal();
    const asleep = Array.from({ length: MANY }, () => sleep(clock, 1_000, signal));
    const ended = Promise.allSettled(asleep);
    expect(added()).toBe(1);
    if (how === 'aborted') controller.abort(new Error('enough'));
    else clock.tick(1_000);
    expect(clock.pending).toBe(0);
    expect(listeners.size).toBe(0);
    const results = await ended;
    const status = how === 'aborted' ? 'rejected' : 'fulfilled';
    expect(results.every((result) => result.status === status)).toBe(true);
  });
});
