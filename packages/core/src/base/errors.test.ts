import { describe, expect, test } from 'vitest';
import { callHook, HookError, NotSentError } from './errors.ts';

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
  expect(notSent).toMatchObject({ name: 'NotSentError', reason: 'not-conforming', waitMs: 5 });
});

test('a hook that returns a promise where its result is needed at once fails, and what it rejects with does not escape', async () => {
  const escaped: unknown[] = [];
  const listen = (reason: unknown): void => void escaped.push(reason);
  process.on('unhandledRejection', listen);
  const call = (): unknown => callHook('cost', () => Promise.reject(new Error('lost')));
  expect(call).toThrow('cost failed: its result must be there at once, got a promise');
  await new Promise((resolve) => setTimeout(resolve));
  process.off('unhandledRejection', listen);
  expect(escaped).toEqual([]);
});
