import { Readable } from 'node:stream';
import { attemptsOf, type HeaderChanges, type NextAttempt } from '@ebb/core';
import { expect, test } from 'vitest';
import { begin, get, passBackoff, settle, setUp } from '../test/relay.ts';

const upload = (): Readable => new Readable({ read: () => undefined });

test('an attempt waits for the headers that beforeAttempt promises', async () => {
  const made = Promise.withResolvers<HeaderChanges>();
  const { wire, spy, dispatch } = setUp({ beforeAttempt: () => made.promise });
  expect(dispatch(get, spy)).toBe(true);
  await settle();
  expect([wire.attempts.length, spy.calls]).toEqual([0, ['start']]);
  made.resolve({ authorization: 'token' });
  await settle();
  expect(wire.attempt(1).options.headers).toEqual({ authorization: 'token' });
  wire.attempt(1).start().head(200).end();
  expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
});

test('an abort while headers are awaited ends the request at once: nothing is sent, and no body is made', async () => {
  const reason = new Error('enough');
  const body = upload();
  const bodies: unknown[] = [];
  for (const one of [body, () => bodies.push('text')]) {
    const made = Promise.withResolvers<HeaderChanges>();
    const { wire, spy } = begin({ beforeAttempt: () => made.promise }, { method: 'PUT', body: one });
    spy.controller?.abort(reason);
    expect(spy.error).toBe(reason);
    made.resolve({ a: 'b' });
    await settle();
    expect([wire.attempts.length, spy.calls]).toEqual([0, ['start', 'error enough']]);
  }
  expect([body.destroyed, bodies]).toEqual([true, []]);
});

test('attemptTimeoutMs covers beforeAttempt, and an unsent upload is sent by the retry', async () => {
  const body = Readable.from(['text']);
  const beforeAttempt = ({ attempt }: NextAttempt) =>
    attempt === 1 ? new Promise<never>(() => undefined) : undefined;
  const { wire, spy, clock } = begin({ attemptTimeoutMs: 50, beforeAttempt }, { method: 'PUT', body });
  await passBackoff(clock, 50);
  expect([wire.attempts.length, body.destroyed]).toEqual([0, false]);
  await passBackoff(clock);
  expect(wire.attempt(1).options.body).toBe(body);
  wire.attempt(1).start().head(200).end();
  expect(attemptsOf(spy.context)).toMatchObject([{ failure: 'timeout' }, { attempt: 2, status: 200 }]);
});
