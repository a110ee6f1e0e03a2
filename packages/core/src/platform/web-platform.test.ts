import { afterEach, expect, test, vi } from 'vitest';
import { warn } from '../base/errors.ts';
import { setAside } from '../bodies/keep.ts';
import { virtualClock } from '../testing.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('the condition selects this platform', async () => {
  expect(await import('#platform')).toBe(await import('./web.ts'));
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

test('a Node stream is closed unread, and its connection is free at once', async () => {
  const body = { pipe: vi.fn(), on: vi.fn(), destroy: vi.fn() };
  const clock = virtualClock();
  const aside = setAside(body, { clock, longestMs: 50, contentLength: Number.NaN });
  await aside?.released;
  expect(body.destroy).toHaveBeenCalledTimes(1);
  expect(body.on).not.toHaveBeenCalled();
  expect([aside?.isWhole, clock.pending]).toEqual([false, 0]);
});
