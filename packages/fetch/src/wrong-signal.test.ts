import { createPolicy } from '@ebb/core';
import { hedged } from '@ebb/hedge/fetch';
import { expect, test, vi } from 'vitest';
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

/** A signal of another library, with its listeners. */
function foreign() {
  const listeners = new Set<() => void>();
  const signal = Object.assign(Object.create({ constructor: class {} }), {
    aborted: false,
    addEventListener: (_: string, listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener),
  });
  const abort = (): void => {
    signal.aborted = true;
    for (const listener of listeners) listener();
  };
  return { listeners, signal, abort };
}

/** Never responds. */
const endless = vi.fn(
  (_: unknown, init?: RequestInit) =>
    new Promise<Response>((__, reject) => {
      const { signal } = init ?? {};
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
    }),
);

test.each([
  ['createFetch', createFetch({ maxRetries: 0 }, endless)],
  ['createFetch with a timeout', createFetch(policy, endless)],
  ['hedged', hedged(endless, { policy, delayMs: 1 })],
])('%s: a signal of another library is followed, by one listener for all calls', async (_, send) => {
  const { listeners, signal, abort } = foreign();
  const calls = [1, 2, 3].map(() => send(URL, { signal } as never));
  expect(listeners.size).toBe(1);
  const [init] = endless.mock.calls.slice(-1).map(([, given]) => given);
  expect(init?.signal).toBeInstanceOf(AbortSignal);
  abort();
  for (const call of calls) await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  await expect(send(URL, { signal } as never)).rejects.toMatchObject({ name: 'AbortError' });
  expect(listeners.size).toBe(1);
});

test('the signal of another library leaves the rest of an init, also that of its class', async () => {
  class Init {
    get method(): string {
      return 'PUT';
    }
    readonly headers = { a: 'b' };
    readonly signal = foreign().signal;
  }
  const base = vi.fn(async (_: unknown, _init?: RequestInit) => new Response());
  await createFetch({}, base)(URL, new Init() as never);
  const [[, sent] = []] = base.mock.calls;
  expect(sent).toMatchObject({ method: 'PUT', headers: { a: 'b' }, signal: expect.any(AbortSignal) });
});

test('a fetch in the place of the policy is an error that says what comes first', () => {
  expect(() => createFetch(fetch as never)).toThrow(
    'createFetch: a policy or its options come first, a base fetch second',
  );
});
