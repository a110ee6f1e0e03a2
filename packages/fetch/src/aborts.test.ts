import { Readable } from 'node:stream';
import { constant, createPolicy, NotSentError, type PolicyOptions } from '@ebb/core';
import { describe, expect, test, vi } from 'vitest';
import { ownBucket } from '../../core/test/own.ts';
import { createFetch } from './index.ts';

/** An upload that records whether it was read and cancelled. */
function upload() {
  const cancelled = vi.fn();
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(16_384)),
    cancel: cancelled,
  });
  return { body, cancelled };
}

interface Settled {
  readonly error: unknown;
  readonly bodyUsed: boolean | undefined;
  readonly cancelled: unknown[];
}

type Args = [input: never, init?: never];

/** The error of a call, and the state of its upload when the call settles. */
async function settle(
  fetchLike: typeof fetch,
  make: (upload: ReadableStream) => unknown[],
): Promise<Settled> {
  const { body, cancelled } = upload();
  const [input, init] = make(body) as Args;
  const request = (input as unknown) instanceof Request ? (input as Request) : undefined;
  let error: unknown;
  try {
    await fetchLike(input, init);
  } catch (thrown) {
    error = thrown;
  }
  await new Promise(setImmediate);
  return { error, bodyUsed: request?.bodyUsed, cancelled: cancelled.mock.calls.flat() };
}

const REASON = new Error('before');
const aborted = () => AbortSignal.abort(REASON);
const url = 'http://127.0.0.1:9/';
const post = { method: 'POST', duplex: 'half' };

/** Ways in which a fetch fails before it sends. Errors, their order and the state of the upload must be those of fetch. */
const rows: Record<string, (upload: ReadableStream) => unknown[]> = {
  'an aborted signal': () => [url, { signal: aborted() }],
  'an aborted signal with a reason that is not an Error': () => [
    url,
    { signal: AbortSignal.abort('a string') },
  ],
  'an aborted signal without a reason': () => [url, { signal: AbortSignal.abort() }],
  'an aborted signal and a wrong URL': () => ['http://', { signal: aborted() }],
  'an aborted signal and a relative URL': () => ['/path', { signal: aborted() }],
  'an aborted signal and a URL with credentials': () => ['http://a:b@upstream/', { signal: aborted() }],
  'an aborted signal and a wrong method': () => [url, { method: 'no method', signal: aborted() }],
  'an aborted signal and a forbidden method': () => [url, { method: 'TRACE', signal: aborted() }],
  'an aborted signal and a wrong header': () => [url, { headers: { 'a b': 'c' }, signal: aborted() }],
  'an aborted signal and a GET with a body': () => [url, { body: 'text', signal: aborted() }],
  'an aborted signal and a wrong mode': () => [url, { mode: 'sideways', signal: aborted() }],
  'an aborted signal and a wrong redirect': () => [url, { redirect: 'sideways', signal: aborted() }],
  'an aborted signal and a window': () => [url, { window: 'one', signal: aborted() }],
  'an aborted signal and a stream without duplex': (body) => [
    url,
    { method: 'POST', body, signal: aborted() },
  ],
  'an aborted signal and a stream': (body) => [url, { ...post, body, signal: aborted() }],
  'an aborted signal and a Request with a stream': (body) => [
    new Request(url, { ...post, body } as never),
    { signal: aborted() },
  ],
  'a Request with an aborted signal': () => [new Request(url, { signal: aborted() })],
  'a Request with an aborted signal and a body': () => [
    new Request(url, { method: 'POST', body: 'text', signal: aborted() }),
  ],
  'a Request with an aborted signal and a stream': (body) => [
    new Request(url, { ...post, body, signal: aborted() } as never),
  ],
  'a Request with an aborted signal, and another in the init': () => [
    new Request(url, { signal: new AbortController().signal }),
    { signal: aborted() },
  ],
  'a used Request with an aborted signal': () => {
    const request = new Request(url, { method: 'POST', body: 'text', signal: aborted() });
    void request.text();
    return [request];
  },
  'a signal of the wrong type': () => [url, { signal: {} }],
  'a string for a signal': () => [url, { signal: 'now' }],
  'an init that is a string': () => [url, 'init'],
  'no arguments': () => [],
};

describe.each<[string, PolicyOptions]>([
  ['the defaults', {}],
  [
    'an empty bucket',
    { bucket: ownBucket({ tryAcquire: () => undefined, acquire: () => new Promise(() => {}) }) },
  ],
  ['an attempt timeout', { attemptTimeoutMs: 60_000 }],
])('what fails before it is sent fails as bare fetch does, with %s', (_, options) => {
  const beforeTheWait =
    options.bucket === undefined ? () => true : (name: string) => /aborted signal/.test(name);
  test.each(Object.entries(rows).filter(([name]) => beforeTheWait(name)))('%s', async (_name, make) => {
    const plain = await settle(fetch, make);
    const ours = await settle(createFetch({ backoff: constant(0), ...options }) as typeof fetch, make);
    expect(ours).toEqual(plain);
    expect(Object.getPrototypeOf(ours.error)).toBe(Object.getPrototypeOf(plain.error));
    if (plain.error === REASON) expect(ours.error).toBe(REASON);
  });
});

describe('an upload that is not sent is cancelled', () => {
  /** A bucket whose callers wait until the test refuses them. */
  function waiting() {
    const { promise, reject: refuse } = Promise.withResolvers<never>();
    const acquire = ({ signal }: { signal?: AbortSignal }) => {
      signal?.addEventListener('abort', () => refuse(signal.reason));
      return promise;
    };
    const bucket = ownBucket({ tryAcquire: () => undefined, acquire } as never);
    return { ebbFetch: createFetch(createPolicy({ bucket })), refuse };
  }
  const refusal = new NotSentError('no token', 1_000);

  test('by an abort in the queue of the bucket', async () => {
    const { ebbFetch } = waiting();
    const { body, cancelled } = upload();
    const controller = new AbortController();
    const call = ebbFetch(url, { ...post, body, signal: controller.signal } as never);
    controller.abort(REASON);
    await expect(call).rejects.toBe(REASON);
    expect(cancelled).toHaveBeenCalledExactlyOnceWith(REASON);
  });

  test('but not the body of a Request, which can be sent again', async () => {
    const { ebbFetch, refuse } = waiting();
    const { body, cancelled } = upload();
    const request = new Request(url, { ...post, body } as never);
    const call = ebbFetch(request);
    refuse(refusal);
    await expect(call).rejects.toBe(refusal);
    expect([cancelled.mock.calls.length, request.bodyUsed]).toEqual([0, false]);
  });

  test('a Node stream is destroyed, and an iterator returned', async () => {
    const stream = Readable.from([Buffer.from('part')]);
    const returned = vi.fn();
    const iterator = { [Symbol.asyncIterator]: () => iterator, next: vi.fn(), return: returned };
    for (const body of [stream, iterator]) {
      const { ebbFetch, refuse } = waiting();
      const call = ebbFetch(url, { ...post, body } as never);
      refuse(refusal);
      await expect(call).rejects.toBe(refusal);
    }
    expect(stream.destroyed).toBe(true);
    expect(returned).toHaveBeenCalledOnce();
  });

  test('a factory is not called', async () => {
    const { ebbFetch, refuse } = waiting();
    const body = vi.fn();
    const call = ebbFetch(url, { method: 'POST', body });
    refuse(refusal);
    await expect(call).rejects.toBe(refusal);
    expect(body).not.toHaveBeenCalled();
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
    ['is ended by an abort', {}],
    ['is ended by an abort, with an upload', { method: 'PUT', body: 'text' }],
  ])('%s', async (_, init) => {
    const controller = new AbortController();
    const call = createFetch({}, () => new Promise(() => {}))(url, { ...init, signal: controller.signal });
    controller.abort(REASON);
    await expect(call).rejects.toBe(REASON);
  });

  test('may return a late response, which is cancelled', async () => {
    const controller = new AbortController();
    const { body, cancelled } = upload();
    const late = Promise.withResolvers<Response>();
    const call = createFetch({}, () => late.promise)(url, { signal: controller.signal });
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
