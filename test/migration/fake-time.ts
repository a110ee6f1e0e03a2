import { afterEach, beforeEach, vi } from 'vitest';

export const HOUR: number = 3_600_000;

/** Gives each test of a file timers and clocks that only move when the test moves them. */
export function fakeTime(): void {
  beforeEach(() => {
    const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const;
    vi.useFakeTimers({ now: 1_000_000_000_000, toFake: [...toFake, 'Date', 'performance'] });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/** How a promise has ended by now. */
export async function endOf(promise: Promise<unknown>): Promise<unknown> {
  let end: unknown = 'pending';
  promise.then(
    (value) => {
      end = value ?? 'done';
    },
    (error: Error) => {
      end = error;
    },
  );
  await vi.advanceTimersByTimeAsync(0);
  return end;
}
