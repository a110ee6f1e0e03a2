import { createPolicy } from '@ebb/core';
import { expect, test, vi } from 'vitest';
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

test('a signal of another library is an error, and nothing is sent, except by a request without ebb', async () => {
  const signal = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined };
  const base = vi.fn(async () => new Response('up'));
  const init = { signal } as never;
  for (const send of [createFetch({}, base), createFetch(policy, base), hedged(base, { policy })])
    await expect(send(URL, init)).rejects.toThrow(
      new TypeError('fetch: signal must be an AbortSignal of the runtime, got one of another library'),
    );
  expect(base).not.toHaveBeenCalled();
  expect((await createFetch({}, base)(URL, { signal, ebb: false } as never)).status).toBe(200);
});

test('a fetch in the place of the policy is an error that says what comes first', () => {
  expect(() => createFetch(fetch as never)).toThrow(
    'createFetch: a policy or its options come first, a base fetch second',
  );
});
