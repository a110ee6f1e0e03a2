import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { deduplicate } from './deduplicate.ts';
import { createFetch } from './index.ts';

const URL = 'http://upstream.invalid/';

/** A response whose body comes in parts. */
function inParts(): Response {
  const parts = ['one ', 'two ', 'three'].map((part) => new TextEncoder().encode(part));
  const body = new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
  return new Response(body);
}

/** Calls that are in flight at the same time, each with a signal of its own. */
async function twoCalls(init: RequestInit = {}) {
  const base = vi.fn(async (_input: unknown, _init?: RequestInit) => inParts());
  const send = createFetch({ middleware: [deduplicate()] }, base);
  const callers = [new AbortController(), new AbortController()];
  const responses = await Promise.all(callers.map(({ signal }) => send(URL, { ...init, signal })));
  const listeners = () => callers.map(({ signal }) => getEventListeners(signal, 'abort').length);
  return { base, callers, responses, listeners };
}

describe('two calls with signals share a send', () => {
  test('each gets the whole body, and the signals are listened to no longer', async () => {
    const { base, responses, listeners } = await twoCalls();
    expect(await Promise.all(responses.map((response) => response.text()))).toEqual([
      'one two three',
      'one two three',
    ]);
    expect(base).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => expect(listeners()).toEqual([0, 0]));
  });

  test('the signal of one that cancels its body is listened to no longer, and the other goes on', async () => {
    const { responses, listeners } = await twoCalls();
    const [one, other] = responses;
    void one?.body?.cancel();
    expect(await other?.text()).toBe('one two three');
    await vi.waitFor(() => expect(listeners()).toEqual([0, 0]));
  });

  test.each<[story: string, init: object, sends: number]>([
    ['HEAD', { method: 'HEAD' }, 1],
    ['a method that begins as GET does', { method: 'GETS' }, 2],
    ['a method that ends as GET does', { method: 'WIDGET' }, 2],
    ['no body', { body: null }, 1],
    ['a body, which a fetch of its own may take', { body: 'text' }, 2],
    ['headers', { headers: { a: 'b' } }, 1],
    ['headers that fetch refuses', { headers: { 'no name': 'b' } }, 2],
  ])('with %s', async (_, init, sends) => {
    const { base } = await twoCalls(init);
    expect(base).toHaveBeenCalledTimes(sends);
  });
});

test('a mock without a body that can be copied is sent for each', async () => {
  const base = vi.fn(async () => ({ status: 200 }) as Response);
  const send = createFetch({ middleware: [deduplicate()] }, base);
  const responses = await Promise.all([send(URL), send(URL)]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(base).toHaveBeenCalledTimes(2);
});
