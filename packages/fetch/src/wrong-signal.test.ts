import { createPolicy } from '@ebb/core';
import { expect, test } from 'vitest';
import { hedged } from './hedged.ts';
import { createFetch } from './index.ts';

const URL = 'http://upstream.invalid/';
const policy = createPolicy({ attemptTimeoutMs: 1_000, maxRetries: 0 });

test.each(['', 0, false, 'now', 5, {}])(
  'a signal of %j fails as without ebb, also under a timeout',
  async (signal) => {
    const init = { signal } as never;
    const bare = await fetch(URL, init).catch((error: Error) => error.message);
    expect(bare).toContain('signal');
    for (const send of [
      createFetch(policy),
      hedged(createFetch(policy), { policy, delayMs: 1 }),
      hedged(fetch, { policy }),
    ])
      expect(await send(URL, init).catch((error: Error) => error.message)).toBe(bare);
  },
);

test('a fetch in the place of the policy is an error that says what comes first', () => {
  expect(() => createFetch(fetch as never)).toThrow(
    'createFetch: a policy or its options come first, a base fetch second',
  );
});
