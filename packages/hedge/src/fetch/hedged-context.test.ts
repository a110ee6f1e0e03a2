import { AsyncLocalStorage } from 'node:async_hooks';
import { createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { hedged } from '../fetch.ts';

test('each hedge is sent in the async context of its request, whichever request has set the timer', async () => {
  const storage = new AsyncLocalStorage<string>();
  const clock = virtualClock();
  const policy = createPolicy({ clock });
  const sent: (string | undefined)[] = [];
  const base = async (): Promise<Response> => {
    sent.push(storage.getStore());
    await clock.sleep(100);
    return new Response('ok');
  };
  const fetch = hedged(base, { policy, delayMs: 10, share: 1, maxHedges: 2 });
  const calls = ['one', 'two'].map((name) => storage.run(name, () => fetch(`https://a.test/${name}`)));
  await clock.runUntilSettled(Promise.all(calls));
  // A hedge of each, and another one for what is left of the tokens.
  expect(sent.slice(0, 4)).toEqual(['one', 'two', 'one', 'two']);
  for (const name of sent) expect(['one', 'two']).toContain(name);
});
