import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { nextTurn, systemClock } from '../base/clock.ts';
import { sleep } from '../base/sleep.ts';
import { virtualClock } from '../testing.ts';
import { onAbort } from './node-crowds.ts';

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
    listeners.delete(listener);
    remove(type, listener, ...options);
  };
  return { controller, signal, listeners, added: () => added };
}

describe('onAbort', () => {
  test('calls each once, in order, except cancelled ones', () => {
    const { controller, signal, listeners } = countedSignal();
    const seen: string[] = [];
    onAbort(signal, () => seen.push('a'));
    const callOff = onAbort(signal, () => seen.push('b'));
    onAbort(signal, () => seen.push('c'));
    expect(listeners.size).toBe(1);
    callOff();
    controller.abort();
    controller.abort();
    expect(seen).toEqual(['a', 'c']);
    expect(listeners.size).toBe(0);
  });

  test('removes the listener with the last call, and adds it again for the next', () => {
    const { controller, signal, listeners } = countedSignal();
    const call = vi.fn();
    const callOff = [onAbort(signal, call), onAbort(signal, call)];
    for (const off of callOff) off();
    for (const off of callOff) off();
    expect(listeners.size).toBe(0);
    onAbort(signal, call);
    controller.abort();
    expect(call).toHaveBeenCalledOnce();
  });

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

  test('a call that throws does not stop the others', () => {
    const { signal } = new AbortController();
    const seen: string[] = [];
    let abort: () => void = () => {};
    signal.addEventListener = (_: string, listener: unknown) => {
      abort = listener as () => void;
    };
    onAbort(signal, () => {
      throw new Error('boom');
    });
    onAbort(signal, () => seen.push('b'));
    expect(() => abort()).toThrow('boom');
    expect(seen).toEqual(['b']);
  });

  test('keeps signals separate', () => {
    const one = new AbortController();
    const other = new AbortController();
    const calls = [vi.fn(), vi.fn()] as const;
    onAbort(one.signal, calls[0]);
    onAbort(other.signal, calls[1]);
    one.abort();
    expect(calls.map((call) => call.mock.calls.length)).toEqual([1, 0]);
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
          else if (there.length > 0) there.splice(at % there.length, 1)[0]?.off();
          expect(listeners.size).toBe(there.length > 0 ? 1 : 0);
        });
        controller.abort();
        expect(seen).toEqual(there.map(({ id }) => id));
        expect(listeners.size).toBe(0);
      }),
    );
  });
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
    // A crowd ends over several turns.
    for (let turn = 0; clock.pending > 0 && turn < 1_000; turn += 1) await nextTurn();
    expect(clock.pending).toBe(0);
    expect(listeners.size).toBe(0);
    const results = await ended;
    const status = how === 'aborted' ? 'rejected' : 'fulfilled';
    expect(results.every((result) => result.status === status)).toBe(true);
  });

  test('leave no trace when they end while others go on', () => {
    const { signal, listeners, added } = countedSignal();
    onAbort(signal, () => {});
    for (let one = 0; one < MANY; one += 1) onAbort(signal, () => {})();
    expect(added()).toBe(1);
    expect(listeners.size).toBe(1);
  });
});

test('an abort of a signal that many sleep under ends a slice of them in each turn', async () => {
  const MANY = 5_000;
  const clock = virtualClock({ startMs: 0 });
  const controller = new AbortController();
  let ended = 0;
  const sleeps = Array.from({ length: MANY }, () =>
    sleep(clock, 10, controller.signal).catch((reason: unknown) => {
      if (reason === 'enough') ended += 1;
    }),
  );
  controller.abort('enough');
  expect(clock.pending).toBe(MANY - 1_000);
  for (let turn = 0, before = clock.pending; before > 0 && turn < MANY; turn += 1) {
    await nextTurn();
    expect(before - clock.pending).toBeLessThanOrEqual(1_000);
    // Those that are due before their turn has come do not go on either.
    if (turn === 1) clock.tick(10);
    before = clock.pending;
  }
  await Promise.all(sleeps);
  expect(ended).toBe(MANY);
});

describe('a crowd that sleeps on the system clock', () => {
  const MANY = 1_000;

  afterEach(() => void vi.useRealTimers());

  test('wakes over several turns of the event loop', async () => {
    let woken = 0;
    const perTurn: number[] = [];
    const all = Array.from({ length: MANY }, async () => {
      await sleep(systemClock, 1);
      woken += 1;
    });
    for (let before = 0; woken < MANY; ) {
      await nextTurn();
      perTurn.push(woken - before);
      before = woken;
    }
    await Promise.all(all);
    // A hundred with timers of their own, and a hundred of the rest.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(200);
  });

  test('keeps the async context of each', async () => {
    const context = new AsyncLocalStorage<number>();
    const contexts = Array.from({ length: MANY }, (_, one) =>
      context.run(one, async () => {
        await sleep(systemClock, 1);
        return context.getStore();
      }),
    );
    expect(await Promise.all(contexts)).toEqual(Array.from({ length: MANY }, (_, one) => one));
  });

  test('leaves no timer when it is aborted', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const all = Array.from({ length: MANY }, () => sleep(systemClock, 1_000, controller.signal));
    const ended = Promise.allSettled(all);
    expect(vi.getTimerCount()).toBe(101);
    controller.abort();
    expect(vi.getTimerCount()).toBe(0);
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('does not wait for fake timers that are gone', async () => {
    // At the second time the clock shows the same time again.
    for (let round = 1; round <= 2; round += 1) {
      vi.useFakeTimers();
      const all = Promise.all(Array.from({ length: MANY }, () => sleep(systemClock, 5)));
      if (round === 2) {
        await vi.advanceTimersByTimeAsync(100);
        await all;
      }
      vi.useRealTimers();
    }
  });

  test('does not wait for fake timers that were cleared', async () => {
    vi.useFakeTimers();
    const start = () => Array.from({ length: MANY }, () => sleep(systemClock, 5));
    start();
    vi.advanceTimersByTime(5);
    vi.clearAllTimers();
    vi.advanceTimersByTime(2_000);
    const all = Promise.all(start());
    await vi.advanceTimersByTimeAsync(100);
    await all;
  });
});
