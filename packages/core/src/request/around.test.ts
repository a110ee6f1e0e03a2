import { expect, test, vi } from 'vitest';
import type { AroundAttempt } from '../policy/around-attempt.ts';
import { sendAround } from './around.ts';

const current = { attempt: 2, request: { method: 'GET' } } as never;
const failure = new Error('client');

function outcomeOf(hook: AroundAttempt, send: () => unknown = () => 'sent'): unknown {
  try {
    return sendAround(hook, current, send);
  } catch (error) {
    return error;
  }
}

test('the result of the client does not pass through the hook', () => {
  const seen: unknown[] = [];
  expect(outcomeOf((send, now) => seen.push(now, send() as unknown) as never)).toBe('sent');
  expect(seen).toEqual([current, undefined]);
  const refuse = (): never => {
    throw failure;
  };
  expect(outcomeOf((send) => send(), refuse)).toBe(failure);
});

test.each<[what: string, hook: AroundAttempt, message: string]>([
  ['does not send', () => undefined, 'it did not call send before it returned'],
  [
    'throws first',
    () => {
      throw new Error('own');
    },
    'own',
  ],
])('a hook that %s fails the request', (_, hook, message) => {
  expect(outcomeOf(hook)).toMatchObject({
    name: 'HookError',
    hook: 'aroundAttempt',
    message: `aroundAttempt failed: ${message}`,
  });
});

test('a hook that sends later fails the request, and nothing is sent', () => {
  const send = vi.fn();
  let late: () => void = () => undefined;
  const hook: AroundAttempt = (go) => {
    late = go;
  };
  expect(outcomeOf(hook, send)).toMatchObject({ name: 'HookError' });
  expect(late).toThrow('send may be called only once, before the hook returns');
  expect(send).not.toHaveBeenCalled();
});

test('what a hook throws after it has sent is reported, and the result is not lost', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const send = vi.fn(() => 'sent');
  expect(
    outcomeOf((go) => {
      go();
      go();
    }, send),
  ).toBe('sent');
  expect(send).toHaveBeenCalledTimes(1);
  expect(String(warned.mock.calls[0]?.[0])).toContain('send may be called only once');
  warned.mockRestore();
});
