import { afterEach, expect, test, vi } from 'vitest';
import { warn } from '../base/errors.ts';
import { isSubscribed } from './web.ts';

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

test('there are no channels', () => {
  expect(isSubscribed('attempt')).toBeUndefined();
});
