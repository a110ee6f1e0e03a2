import { setImmediate as turn } from 'node:timers/promises';
import type { Policy } from '@ebb/core';
import { hedged } from '@ebb/hedge/undici';
import { expect, test } from 'vitest';
import { tokensFor } from '../test/bucket.ts';
import { begin, get, passBackoff, setUp } from '../test/relay.ts';
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

test.each<[what: string, tokens: number, last: readonly string[]]>([
  ['the body that a retry followed', 2, ['head 200', 'data up']],
  ['a second copy of its own, if the retry was not sent', 1, ['head 503', 'data down']],
])('a result that is kept does not keep %s', async (_, tokens, last) => {
  const { wire, spy, clock } = begin({ bucket: tokensFor(tokens) });
  const chunk = bring(wire.attempt(1).start().head(503), 'down');
  wire.attempt(1).end();
  await passBackoff(clock);
  if (tokens > 1) wire.attempt(2).start().head(200).data('up').end();
  expect(spy.calls).toEqual(['start', ...last, 'end {}']);
  expect(await isCollected(chunk, wire)).toBe(true);
  expect(spy.controller).toMatchObject({ aborted: false });
});

test('nor the response of a try that has lost', async () => {
  const { wire, spy, clock, dispatch } = setUp({}, (policy) =>
    hedged({ policy: policy as Policy, delayMs: 10 }),
  );
  dispatch(get, spy);
  const first = wire.attempt(1).start();
  await passBackoff(clock, 10);
  const chunk = bring(first.head(503), 'down');
  wire.attempt(2).start().head(200).data('up').end();
  expect(spy.calls).toEqual(['start', 'head 200', 'data up', 'end {}']);
  expect(await isCollected(chunk, wire)).toBe(true);
  expect(spy.controller).toMatchObject({ aborted: false });
});
