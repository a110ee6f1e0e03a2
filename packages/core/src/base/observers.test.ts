import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { callObserver, warn } from './errors.ts';

const warnings: Error[] = [];
beforeEach(() => {
  warnings.length = 0;
  const note = (warning: unknown): void => void warnings.push(warning as Error);
  vi.spyOn(process, 'emitWarning').mockImplementation(note);
  // Pages report by it.
  vi.stubGlobal('reportError', note);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const throws = (error: unknown): never => {
  throw error;
};

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('an observer', () => {
  test('gets its event, and may return anything', async () => {
    const seen: unknown[] = [];
    callObserver('onEvent', (event) => seen.push(event), { a: 1 });
    callObserver('onEvent', async (event) => seen.push(event), { a: 2 });
    await settled();
    expect([seen, warnings]).toEqual([[{ a: 1 }, { a: 2 }], []]);
  });

  test.each<[how: string, fail: (error: unknown) => unknown]>([
    ['throws', throws],
    ['rejects', (error) => Promise.reject(error)],
  ])('that %s is reported once, and other observers as well', async (_, fail) => {
    const observers = [(error: unknown) => fail(error), (error: unknown) => fail(error)];
    for (const observer of [...observers, ...observers]) {
      callObserver('onEvent', observer, new Error('boom'));
      await settled();
    }
    expect(warnings.map(({ name, message }) => [name, message])).toEqual(
      Array(2).fill(['EbbWarning', 'onEvent failed, and is ignored: boom']),
    );
  });

  test('that fails is reported in one line, whatever its error quotes', () => {
    const quoted = 'no JSON: \u001b[2J\n(node:1) Warning: forged\u2028\u202e';
    callObserver('onEvent', () => throws(new Error(quoted)), {});
    // The console of a browser shows text as text.
    const shown = process.env.EBB_PLATFORM === 'web' ? quoted : 'no JSON: ?[2J?(node:1) Warning: forged??';
    expect(warnings.map(({ message }) => message)).toEqual([`onEvent failed, and is ignored: ${shown}`]);
    expect(warnings[0]?.cause).toMatchObject({ message: quoted });
  });

  const unreadable = (name: string): Error =>
    Object.defineProperty(new Error('boom'), name, { get: () => throws(new Error('trapped')) });

  test.each<[what: string, thrown: unknown, text: string]>([
    ['a text', 'boom', 'it threw string'],
    ['nothing', undefined, 'it threw undefined'],
    ['an object with a message', { message: 'boom' }, 'boom'],
    ['an object with another one', { message: 5 }, 'it threw object'],
    ['an error whose message cannot be read', unreadable('message'), 'it threw object'],
    ['an error whose name cannot be read', unreadable('name'), 'boom'],
    ['an error whose stack cannot be read', unreadable('stack'), 'boom'],
  ])('that throws %s', (_, thrown, text) => {
    callObserver('onEvent', () => throws(thrown), 0);
    expect(warnings.map(({ message }) => message)).toEqual([`onEvent failed, and is ignored: ${text}`]);
  });
});

describe('a warning', () => {
  test('has of its cause only what is no secret', () => {
    const cause = Object.assign(new TypeError('boom'), { config: { headers: { authorization: 'secret' } } });
    warn('x', cause);
    expect(warnings).toMatchObject([{ name: 'EbbWarning', message: 'x' }]);
    const shown = warnings[0]?.cause as Error;
    const { name, message, stack } = cause;
    expect({ ...shown, message: shown.message, stack: shown.stack }).toEqual({ name, message, stack });
    expect(shown).not.toBe(cause);
  });
});
