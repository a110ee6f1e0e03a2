import { constant, createPolicy, NotSentError, type PolicyOptions } from '@ebb/core';
import { describe, expect, test, vi } from 'vitest';
import { ownBucket } from '../../core/test/own.ts';
import { kinds } from '../../undici/test/uploads.ts';
import { createFetch } from './index.ts';

/** An upload that records whether it was cancelled. */
function upload() {
  const cancelled = vi.fn();
  const pull = (controller: ReadableStreamDefaultController): void =>
    controller.enqueue(new Uint8Array(16_384));
  return { body: new ReadableStream({ pull, cancel: cancelled }), cancelled };
}

type Args = [input: never, init?: never];

/** The error of a call, and the state of its upload when the call settles. */
async function settle(fetchLike: typeof fetch, make: (upload: ReadableStream) => unknown[]) {
  const { body, cancelled } = upload();
  const [input, init] = make(body) as Args;
  const error: unknown = await fetchLike(input, init).catch((thrown: unknown) => thrown);
  await new Promise(setImmediate);
  const bodyUsed = (input as unknown) instanceof Request ? (input as Request).bodyUsed : undefined;
  return { error, bodyUsed, cancelled: cancelled.mock.calls.flat() };
}

const REASON = new Error('before');
const aborted = () => AbortSignal.abort(REASON);
const url = 'http://127.0.0.1:9/';
const post = { method: 'POST', duplex: 'half' };

/** Requests whose signal has aborted. Most have another mistake, too. */
const early: Record<string, (upload: ReadableStream) => unknown[]> = {
  'no mistake': () => [url, { signal: aborted() }],
  'a reason that is not an Error': () => [url, { signal: AbortSignal.abort('a string') }],
  'no reason': () => [url, { signal: AbortSignal.abort() }],
  'a wrong URL': () => ['http://', { signal: aborted() }],
  'a relative URL': () => ['/path', { signal: aborted() }],
  'a URL with credentials': () => ['http://a:b@upstream/', { signal: aborted() }],
  'a wrong method': () => [url, { method: 'no method', signal: aborted() }],
  'a forbidden method': () => [url, { method: 'TRACE', signal: aborted() }],
  'a wrong header': () => [url, { headers: { 'a b': 'c' }, signal: aborted() }],
  'a GET with a body': () => [url, { body: 'text', signal: aborted() }],
  'a wrong mode': () => [url, { mode: 'sideways', signal: aborted() }],
  'a wrong redirect': () => [url, { redirect: 'sideways', signal: aborted() }],
  'a window': () => [url, { window: 'one', signal: aborted() }],
  'a stream without duplex': (body) => [url, { method: 'POST', body, signal: aborted() }],
  'a stream': (body) => [url, { ...post, body, signal: aborted() }],
  'a Request with a stream': (body) => [new Request(url, { ...post, body } as never), { signal: aborted() }],
  'a Request': () => [new Request(url, { signal: aborted() })],
  'a Request with a text': () => [new Request(url, { method: 'POST', body: 'text', signal: aborted() })],
  'a Request with its own stream': (body) => [
    new Request(url, { ...post, body, signal: aborted() } as never),
  ],
  'a signal in the init beside that of a Request': () => [
    new Request(url, { signal: new AbortController().signal }),
    { signal: aborted() },
  ],
  'a used Request': () => {
    const request = new Request(url, { method: 'POST', body: 'text', signal: aborted() });
    void request.text();
    return [request];
  },
};

/** Other ways in which a fetch fails before it sends. */
const wrong: typeof early = {
  'an init that is a string': () => [url, 'init'],
  'no arguments': () => [],
};

const acquire = () => new Promise(() => {});
const empty = ownBucket({ tryAcquire: () => undefined, acquire } as never);

// Errors, their order and the state of the upload must be those of fetch.
describe.each<[string, PolicyOptions, rows: typeof early]>([
  ['the defaults', {}, { ...early, ...wrong }],
  ['an empty bucket', { bucket: empty }, early],
  ['an attempt timeout', { attemptTimeoutMs: 60_000 }, { ...early, ...wrong }],
])('what fails before it is sent fails as bare fetch does, with %s', (_, options, rows) => {
  test.each(Object.entries(rows))('an aborted signal, or none, and %s', async (_name, make) => {
    const plain = await settle(fetch, make);
    const ours = await settle(createFetch({ backoff: constant(0), ...options }) as typeof fetch, make);
    expect(ours).toEqual(plain);
    expect(Object.getPrototypeOf(ours.error)).toBe(Object.getPrototypeOf(plain.error));
    if (plain.error === REASON) expect(ours.error).toBe(REASON);
  });
});

describe('an upload that is not sent', () => {
  /** A bucket whose callers wait until the test refuses them. */
  function waiting() {
    const { promise, reject: refuse } = Promise.withResolvers<never>();
    const ask = ({ signal }: { signal?: AbortSignal }) => {
      signal?.addEventListener('abort', () => refuse(signal.reason));
      return promise;
    };
    const bucket = ownBucket({ tryAcquire: () => undefined, acquire: ask } as never);
    return { send: createFetch(createPolicy({ bucket })), refuse };
  }
  const refusal = new NotSentError('no token', 1_000);

  test('is cancelled by an abort in the queue of the bucket, with its reason', async () => {
    const { send } = waiting();
    const { body, cancelled } = upload();
    const controller = new AbortController();
    const call = send(url, { ...post, body, signal: controller.signal } as never);
    controller.abort(REASON);
    await expect(call).rejects.toBe(REASON);
    expect(cancelled).toHaveBeenCalledExactlyOnceWith(REASON);
  });

  test.each(kinds)('is closed by a refusal: %s', async (_, make) => {
    const { send, refuse } = waiting();
    const { body, closed } = make();
    const call = send(url, { ...post, body } as never);
    refuse(refusal);
    await expect(call).rejects.toBe(refusal);
    await closed;
  });

  test('stays open if it is that of a Request, which can be sent again, and a factory is not called', async () => {
    const { body, cancelled } = upload();
    const request = new Request(url, { ...post, body } as never);
    const factory = vi.fn();
    for (const args of [[request], [url, { method: 'POST', body: factory }]] as Parameters<typeof fetch>[]) {
      const { send, refuse } = waiting();
      const call = send(...args);
      refuse(refusal);
      await expect(call).rejects.toBe(refusal);
    }
    const calls = [cancelled, factory].map(({ mock }) => mock.calls.length);
    expect([...calls, request.bodyUsed]).toEqual([0, 0, false]);
  });
});

test('a Request that the base fetch cancels on an abort is cancelled at its source: its copy does not keep it open', async () => {
  const controller = new AbortController();
  const { body, cancelled } = upload();
  const request = new Request(url, { ...post, body, signal: controller.signal } as never);
  const base = (input: unknown) =>
    new Promise<Response>((_, reject) => {
      const { signal, body: sent } = input as Request;
      signal.addEventListener('abort', () => {
        void sent?.cancel(signal.reason);
        reject(signal.reason);
      });
    });
  const call = createFetch({}, base)(request);
  controller.abort(REASON);
  await expect(call).rejects.toBe(REASON);
  await expect.poll(() => cancelled.mock.calls.length).toBe(1);
});

describe('a base fetch that ignores its signal', () => {
  test.each<[string, RequestInit]>([
    ['nothing', {}],
    ['an upload', { method: 'PUT', body: 'text' }],
  ])('is ended by an abort, and its late response is cancelled, with %s', async (_, init) => {
    const controller = new AbortController();
    const { body, cancelled } = upload();
    const late = Promise.withResolvers<Response>();
    const call = createFetch({}, () => late.promise)(url, { ...init, signal: controller.signal });
    controller.abort(REASON);
    await expect(call).rejects.toBe(REASON);
    late.resolve(new Response(body));
    await expect.poll(() => cancelled.mock.calls.length).toBe(1);
  });

  test('has one turn to reject with its own error', async () => {
    const controller = new AbortController();
    const own = new Error('in its own way');
    const base = (_: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => queueMicrotask(() => reject(own)));
      });
    const call = createFetch({}, base)(url, { signal: controller.signal });
    controller.abort(REASON);
    await expect(call).rejects.toBe(own);
  });
});
