import { attemptsOf } from '@ebb/core';
import { errors } from 'undici';
import { expect, test } from 'vitest';
import { begin, passBackoff } from '../test/relay.ts';

const reason = new Error('enough');

test('an abort during the backoff ends it at once', () => {
  const { wire, spy, clock } = begin();
  // An error has the history of the first call that it ends.
  const own = new Error('enough');
  wire.attempt(1).start().head(503).end();
  spy.controller?.abort(own);
  expect([spy.calls, spy.error]).toEqual([['start', 'error enough'], own]);
  expect(spy.controller).toMatchObject({ aborted: true, reason: own });
  expect([attemptsOf(own).length, clock.pending]).toEqual([1, 0]);
});

test('an abort while undici queues a retry ends the request, and the retry is not sent', async () => {
  const { wire, spy, clock } = begin();
  wire.attempt(1).start().head(503).end();
  await passBackoff(clock);
  spy.controller?.abort(reason);
  expect(spy.error).toBe(reason);
  wire.attempt(2).start();
  expect(wire.attempt(2).connection.reason).toBe(reason);
  expect(spy.calls).toEqual(['start', 'error enough']);
});

test('an abort without a reason has undici’s own error', () => {
  const { wire, spy } = begin();
  wire.attempt(1).start().head(503).end();
  spy.controller?.abort(undefined as never);
  expect(spy.error).toBeInstanceOf(errors.RequestAbortedError);
});
