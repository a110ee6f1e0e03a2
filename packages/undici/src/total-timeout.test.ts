import { constant, type PolicyOptions } from '@ebb/core';
import { expect, test } from 'vitest';
import { begin, passBackoff } from '../test/relay.ts';

const covering: PolicyOptions = { totalTimeoutMs: 500, totalTimeoutCovers: 'body', backoff: constant(400) };

test('a total timeout that covers the body counts from the call, and ends the body with the timeout error of undici', async () => {
  const { clock, wire, spy } = begin(covering);
  wire.attempt(1).start().head(503).end();
  await passBackoff(clock, 400);
  const { connection } = wire.attempt(2).start().head(200).data('a');
  await clock.advance(99);
  expect([spy.error, connection.aborted]).toEqual([undefined, false]);
  await clock.advance(1);
  expect(spy.error).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT', message: 'No response within 500 ms' });
  expect([connection.aborted, clock.pending]).toEqual([true, 0]);
});
