import { describe, expect, test } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { unhandledIn } from '../../test/unhandled.ts';
import { callHook, HookError, isError, NotSentError } from './errors.ts';

const notSent = new NotSentError('no token', 5);
const hook = new HookError('cost', new Error('broken'));

describe('instanceof', () => {
  test('distinguishes the two classes, and everything else', () => {
    expect(notSent instanceof NotSentError).toBe(true);
    expect(notSent instanceof HookError).toBe(false);
    expect(hook instanceof HookError).toBe(true);
    expect(hook instanceof NotSentError).toBe(false);
    for (const value of [new Error('x'), {}, null, undefined, 'text', 5, () => {}]) {
      expect((value as unknown) instanceof NotSentError).toBe(false);
      expect((value as unknown) instanceof HookError).toBe(false);
    }
  });

  test('recognises an error of another copy of this module', async () => {
    const copy = './errors.ts?copy';
    const other: typeof import('./errors.ts') = await import(copy);
    expect(other.NotSentError).not.toBe(NotSentError);
    expect(new other.NotSentError('no token') instanceof NotSentError).toBe(true);
    expect(new other.HookError('cost', 1) instanceof HookError).toBe(true);
    expect(new other.HookError('cost', 1) instanceof NotSentError).toBe(false);
    // Also one of another version, which knows these names alone.
    const marked = (one: abstract new (...args: never[]) => Error, name: string): unknown =>
      Reflect.get(one.prototype, Symbol.for(`@ebb/core ${name}`));
    expect(marked(other.NotSentError, 'NotSentError')).toBe(true);
    expect(marked(other.HookError, 'HookError')).toBe(true);
  });

  test('a subclass recognises its own instances only', () => {
    class Mine extends NotSentError {}
    expect(notSent instanceof Mine).toBe(false);
    expect(new Mine('x') instanceof Mine).toBe(true);
    expect(new Mine('x') instanceof NotSentError).toBe(true);
  });

  test('adds no visible property to the error', () => {
    expect(Reflect.ownKeys(notSent)).toEqual(['stack', 'message', 'name', 'waitMs', 'reason']);
    expect({ ...notSent }).toEqual({ name: 'NotSentError', waitMs: 5, reason: 'not-conforming' });
  });
});

test('each has its name and its reason', () => {
  const cause = new Error('broken');
  expect(new HookError('cost', cause)).toMatchObject({ name: 'HookError', hook: 'cost', cause });
  const closed = new NotSentError('x', undefined, { reason: 'closed', cause });
  expect(closed).toMatchObject({ message: 'x', reason: 'closed', waitMs: undefined, cause });
});

const trap = throwing(new Error('trapped'));

const unreadable = Object.defineProperty(new Error(), 'message', { get: trap });

test.each<[what: string, thrown: unknown, text: string]>([
  ['an error', new Error('boom'), 'boom'],
  ['a text', 'boom', 'boom'],
  ['nothing', undefined, 'undefined'],
  ['a symbol', Symbol('a'), 'Symbol(a)'],
  ['an error whose message cannot be read', unreadable, 'undefined'],
  ['an object that is no text', { toString: trap }, 'object'],
  ['a trap', new Proxy({}, { get: trap, getPrototypeOf: trap }), 'object'],
])('what a hook has thrown is told in words: %s', (_, thrown, text) => {
  expect(new HookError('cost', thrown).message).toBe(`cost failed: ${text}`);
});

test('what may be an error is one, or not, and never throws', () => {
  const trapped = new Proxy(new Error('x'), { getPrototypeOf: trap });
  const values = [new TypeError('x'), { message: 'x' }, trapped, null];
  expect(values.map(isError)).toEqual([true, false, false, false]);
});

test('a hook is told that its result is wrong', () => {
  const check = (name: string): never => {
    throw new RangeError(`${name} is wrong`);
  };
  expect(() => callHook('cost', () => 5, check)).toThrow('cost failed: its result is wrong');
  expect(callHook('cost', () => 5)).toBe(5);
});

test('a hook that returns a promise where its result is needed at once fails, and what it rejects with does not escape', async () => {
  const call = (): unknown => callHook('cost', () => Promise.reject(new Error('lost')));
  const message = 'cost failed: its result must be there at once, got a promise';
  expect(await unhandledIn(() => expect(call).toThrow(message))).toEqual([]);
});
