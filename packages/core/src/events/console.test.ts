import { afterEach, expect, test, vi } from 'vitest';
import * as none from './no-channels.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.resetModules();
});

const event = { type: 'attempt', request: { method: 'GET', url: '/a' }, attempt: 1, atMs: 0 } as const;

test.each<[string, storage: unknown, isShown: boolean]>([
  ['it names ebb', { debug: 'app:*, ebb' }, true],
  ['it names others', { debug: 'app:*' }, false],
  ['there is none', undefined, false],
])('a console shows events if localStorage.debug names ebb: %s', async (_, localStorage, isShown) => {
  const debug = vi.spyOn(console, 'debug').mockImplementation(() => undefined);
  vi.stubGlobal('localStorage', localStorage);
  const { isSubscribed, publish } = await import('./console.ts');
  expect(isSubscribed('attempt')).toBe(isShown);
  publish('attempt', event);
  expect(debug.mock.calls).toEqual(
    isShown ? [[expect.stringMatching(/^ebb 00:00:00\.000 {2}GET \/a + 1 {2}attempt$/)]] : [],
  );
});

test('a page that may not read its storage', async () => {
  const { localStorage } = Object.getOwnPropertyDescriptors(globalThis);
  const get = (): never => {
    throw new DOMException('denied', 'SecurityError');
  };
  Object.defineProperty(globalThis, 'localStorage', { get, configurable: true });
  try {
    const { isSubscribed } = await import('./console.ts');
    expect(isSubscribed('attempt')).toBe(false);
  } finally {
    Reflect.deleteProperty(globalThis, 'localStorage');
    if (localStorage !== undefined) Object.defineProperty(globalThis, 'localStorage', localStorage);
  }
});

test('a production build shows none', () => {
  expect([none.isSubscribed('attempt'), none.publish('attempt', event)]).toEqual([undefined, undefined]);
});
