import { afterEach, describe, expect, test, vi } from 'vitest';
import { nextTurn, systemClock } from '../base/clock.ts';
import { sleep } from '../base/sleep.ts';
import { warn } from '../base/warn.ts';
import { isSubscribed, keepAlive, onAbort } from './web.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('the condition selects this platform', async () => {
  expect(await import('#platform')).toBe(await import('./web.ts'));
});

describe('onAbort', () => {
  test('calls each once, in order, except cancelled ones', () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const twice = (): void => void seen.push('twice');
    onAbort(controller.signal, twice);
    onAbort(controller.signal, twice);
    onAbort(controller.signal, () => seen.push('cancelled'))();
    onAbort(controller.signal, () => seen.push('last'));
    controller.abort();
    controller.abort();
    expect(seen).toEqual(['twice', 'twice', 'last']);
  });

  test('is not called for a signal that has aborted already', () => {
    const call = vi.fn();
    onAbort(AbortSignal.abort(), call);
    expect(call).not.toHaveBeenCalled();
  });
});

test('each sleep has its own timer, which an abort clears', async () => {
  vi.useFakeTimers();
  const controller = new AbortController();
  const asleep = Array.from({ length: 300 }, () => sleep(systemClock, 1_000, controller.signal));
  const ended = Promise.allSettled(asleep);
  expect(vi.getTimerCount()).toBe(300);
  controller.abort('enough');
  expect(vi.getTimerCount()).toBe(0);
  expect(await ended).toEqual(asleep.map(() => ({ status: 'rejected', reason: 'enough' })));
});

describe('beside fake timers', () => {
  test('a turn of the event loop is real', async () => {
    vi.useFakeTimers();
    await nextTurn();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a stub that calls back at once ends a wait, and moves the clock by it', async () => {
    vi.stubGlobal('setTimeout', (call: () => void) => {
      call();
      return 0;
    });
    const beforeMs = systemClock.now();
    await sleep(systemClock, 60_000);
    expect(systemClock.now() - beforeMs).toBeGreaterThanOrEqual(60_000);
  });

  test('such a stub ends a timeout as well, in another turn', async () => {
    vi.stubGlobal('setTimeout', (call: () => void) => {
      call();
      return 0;
    });
    const timeout = vi.fn();
    systemClock.schedule(timeout, 60_000);
    expect(timeout).not.toHaveBeenCalled();
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(timeout).toHaveBeenCalledOnce();
  });
});

test('a warning is shown by reportError, and is lost without it', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const reportError = vi.fn();
  vi.stubGlobal('reportError', reportError);
  warn('beware');
  expect(reportError.mock.calls).toMatchObject([[{ name: 'EbbWarning', message: 'beware' }]]);
  vi.stubGlobal('reportError', undefined);
  warn('beware');
  expect(emitWarning).not.toHaveBeenCalled();
});

test('there are no channels, and no process that is kept alive', () => {
  expect(isSubscribed('attempt')).toBeUndefined();
  const promise = Promise.resolve(5);
  expect(keepAlive(promise)).toBe(promise);
});
