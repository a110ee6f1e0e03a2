import { setImmediate as turn } from 'node:timers/promises';
import { constant, NotSentError, type Policy } from '@ebb/core';
import { hedge } from '@ebb/hedge/undici';
import { expect, test } from 'vitest';
import { bucketThat } from '../test/bucket.ts';
import { get, passBackoff, setUp } from '../test/relay.ts';
import type { Dispatched, Wire } from '../test/wire.ts';

// Programs may keep results: the controller of a body has the whole request.

/** Gives an attempt a part of its body. */
function bring(attempt: Dispatched, text: string): WeakRef<Buffer> {
  const chunk = Buffer.from(text);
  attempt.handler.onResponseData(attempt.connection, chunk);
  return new WeakRef(chunk);
}

/** True if nothing but what the test has keeps it. */
async function isCollected(chunk: WeakRef<Buffer>, wire: Wire): Promise<boolean> {
  // undici is done with them.
  wire.attempts.length = 0;
  for (let turns = 0; turns < 20 && chunk.deref() !== undefined; turns += 1) {
    await turn();
    globalThis.gc?.();
  }
  return chunk.deref() === undefined;
}

test('a result that is kept does not keep the body that a retry followed', async () => {
  const { wire, spy, clock, dispatch } = setUp();
  dispatch(get, spy);
  const chunk = bring(wire.attempt(1).start().head(503), 'down');
  wire.attempt(1).end();
  await passBackoff(clock);
  wire.attempt(2).start().head(200).data('up').end();
  expect(spy.calls).toEqual(['start', 'head 200', 'data up', 'end {}']);
  expect(await isCollected(chunk, wire)).toBe(true);
  expect(spy.controller).toMatchObject({ aborted: false });
});

test('nor a second copy of its own, if the retry was not sent', async () => {
  let asked = 0;
  const bucket = bucketThat({
    tryAcquire: () => asked++ === 0,
    acquire: () => Promise.reject(new NotSentError('refused', 0)),
  });
  const { wire, spy, clock, dispatch } = setUp({ bucket, backoff: constant(0) });
  dispatch(get, spy);
  const chunk = bring(wire.attempt(1).start().head(503), 'down');
  wire.attempt(1).end();
  await passBackoff(clock, 0);
  expect(spy.calls).toEqual(['start', 'head 503', 'data down', 'end {}']);
  expect(await isCollected(chunk, wire)).toBe(true);
  expect(spy.controller).toMatchObject({ aborted: false });
});

test('nor the response of a try that has lost', async () => {
  const { wire, spy, clock, dispatch } = setUp({}, (policy) =>
    hedge({ policy: policy as Policy, delayMs: 10 }),
  );
  dispatch(get, spy);
  const first = wire.attempt(1).start();
  await clock.advance(10);
  await turn();
  const chunk = bring(first.head(503), 'down');
  wire.attempt(2).start().head(200).data('up').end();
  expect(spy.calls).toEqual(['start', 'head 200', 'data up', 'end {}']);
  expect(await isCollected(chunk, wire)).toBe(true);
  expect(spy.controller).toMatchObject({ aborted: false });
});
