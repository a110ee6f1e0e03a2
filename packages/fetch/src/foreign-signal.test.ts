import { concurrencyLimit, constant, createPolicy, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { type BaseFetch, createFetch } from './create-fetch.ts';
import { hedged } from './hedged.ts';
import type { EbbRequestInit } from './init.ts';

/** A signal of another library: of the old ones, without a reason. */
class Polyfill {
  aborted = false;
  readonly listeners = new Set<() => void>();
  reason: unknown;

  constructor(reason?: unknown) {
    if (reason !== undefined) this.reason = reason;
  }

  addEventListener(_: string, listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_: string, listener: () => void): void {
    this.listeners.delete(listener);
  }

  abort(): this {
    this.aborted = true;
    for (const listener of [...this.listeners]) listener();
    return this;
  }
}

const asSignal = (value: unknown): AbortSignal => value as AbortSignal;
const enough = new Error('enough');

/** As fetch packages do: takes any signal that looks like one, and follows it until the body has ended. */
function lenient(respond: (signal: AbortSignal | undefined) => Response | Promise<Response>): BaseFetch {
  return async (_input, init) => {
    const signal = init?.signal ?? undefined;
    const error = (): unknown => signal?.reason ?? new DOMException('aborted', 'AbortError');
    if (signal?.aborted) throw error();
    const answer = Promise.resolve(respond(signal));
    if (signal === undefined) return answer;
    let abort = (): void => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      abort = () => reject(error());
      signal.addEventListener('abort', abort, { once: true });
    });
    return Promise.race([answer, aborted]).finally(() => signal.removeEventListener('abort', abort));
  };
}

/** Each option for which a client replaces the signal, or waits under it. */
const options: Record<string, (clock: ReturnType<typeof virtualClock>) => PolicyOptions & EbbRequestInit> = {
  'no option': () => ({}),
  attemptTimeoutMs: () => ({ attemptTimeoutMs: 1_000 }),
  totalTimeoutMs: () => ({ totalTimeoutMs: 1_000 }),
  concurrency: (clock) => ({ concurrency: concurrencyLimit({ maxConcurrent: 1, clock }) }),
  'attemptTimeoutMs, concurrency': (clock) => ({
    attemptTimeoutMs: 1_000,
    concurrency: concurrencyLimit({ maxConcurrent: 1, clock }),
  }),
  beforeAttempt: () => ({ beforeAttempt: async () => ({ a: 'b' }) }),
};

describe.each(Object.entries(options))('%s', (_, make) => {
  const setUp = (base: BaseFetch) => {
    const clock = virtualClock();
    return { clock, fetch: createFetch({ backoff: constant(10), clock, ...make(clock) }, base) };
  };
  const signals: Record<string, () => unknown> = {
    'an aborted native signal': () => AbortSignal.abort(enough),
    'an aborted signal of a library': () => new Polyfill(enough).abort(),
    'an aborted signal without a reason': () => new Polyfill().abort(),
    'a signal of a library': () => new Polyfill(),
    'an object that is no signal': () => ({}),
    'an object with half of a signal': () => ({ addEventListener: () => undefined }),
    null: () => null,
    'no signal': () => undefined,
  };
  const nameOf = (sent: Promise<unknown>): Promise<string> =>
    sent.then(
      () => 'a response',
      (error: Error) => error.name,
    );

  test.each(Object.entries(signals))('%s: as the runtime’s own fetch', async (__, makeSignal) => {
    const init = { signal: asSignal(makeSignal()) };
    const { fetch } = setUp(globalThis.fetch);
    const url = 'data:text/plain,up';
    expect(await nameOf(fetch(url, init))).toBe(await nameOf(globalThis.fetch(url, init)));
  });

  test.each(Object.entries(signals))('%s: as a fetch that takes any signal', async (__, makeSignal) => {
    const base = vi.fn(lenient(() => new Response('up')));
    const signal = makeSignal();
    if (signal !== null && typeof signal === 'object' && !('aborted' in signal)) return;
    const bare = await nameOf(base('https://a.test/', { signal: asSignal(signal) }));
    base.mockClear();
    const { fetch } = setUp(base);
    expect(await nameOf(fetch('https://a.test/', { signal: asSignal(signal) }))).toBe(bare);
    expect(base).toHaveBeenCalledTimes(1);
  });

  test.each<[string, unknown]>([
    ['with a reason', enough],
    ['without a reason', undefined],
  ])('an abort in an attempt, %s', async (__, reason) => {
    const signal = new Polyfill(reason);
    const { clock, fetch } = setUp(lenient(() => new Promise(() => undefined)));
    const sent = fetch('https://a.test/', { signal: asSignal(signal) });
    const error = sent.catch((thrown: unknown) => thrown);
    await clock.advance(10);
    signal.abort();
    expect(await error).toMatchObject(reason === undefined ? { name: 'AbortError' } : { message: 'enough' });
    expect([signal.listeners.size, clock.pending]).toEqual([0, 0]);
  });

  test('an abort while it waits for a retry', async () => {
    for (const reason of [enough, undefined]) {
      const signal = new Polyfill(reason);
      const base = vi.fn(lenient(() => new Response('down', { status: 503 })));
      const { clock, fetch } = setUp(base);
      const error = fetch('https://a.test/', { signal: asSignal(signal) }).catch((thrown: unknown) => thrown);
      await clock.advance(5);
      signal.abort();
      expect(await error).toMatchObject(
        reason === undefined ? { name: 'AbortError' } : { message: 'enough' },
      );
      expect([base.mock.calls.length, signal.listeners.size, clock.pending]).toEqual([1, 0, 0]);
    }
  });

  test('no listener stays after the body', async () => {
    const signal = new Polyfill();
    const { fetch } = setUp(lenient(() => new Response('up')));
    for (let call = 0; call < 5; call += 1) {
      const response = await fetch('https://a.test/', { signal: asSignal(signal) });
      expect(await response.text()).toBe('up');
    }
    expect(signal.listeners.size).toBe(0);
  });

  test('an abort reaches the body that is being read', async () => {
    const signal = new Polyfill(enough);
    const { fetch } = setUp(async (___, init) => {
      const own = init?.signal;
      const body = new ReadableStream({
        start: (controller) => own?.addEventListener('abort', () => controller.error(enough)),
      });
      return new Response(body);
    });
    const response = await fetch('https://a.test/', { signal: asSignal(signal) });
    const text = response.text().catch((thrown: unknown) => thrown);
    signal.abort();
    expect(await text).toBe(enough);
  });
});

test('hedged leaves no listener on a signal of another library, whatever becomes of the call', async () => {
  const policy = createPolicy();
  for (const settle of [() => new Response('up'), () => Promise.reject(new TypeError('fetch failed'))]) {
    const signal = new Polyfill();
    const fetch = hedged(lenient(settle), { policy });
    await fetch('http://a.test/', { signal: asSignal(signal) }).catch(() => undefined);
    expect(signal.listeners.size).toBe(0);
  }
});
