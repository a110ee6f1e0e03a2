import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { HookError, type Inspect, type InspectedResponse, inspectBody, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosRequestConfig } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { responseTo } from '../test/adapters.ts';
import { atOnce, clientOf, errorOf, kindsOf, reasonsOf } from '../test/client.ts';
import { textIn } from '../test/read.ts';

type Says = { error?: string; waitMs?: number } | undefined;

/** Judges by `error` in the body. */
const byError = inspectBody(async (response) => {
  const said = (await response.json()) as Says;
  if (said?.error === 'overloaded') return { verdict: 'transient' };
  if (said?.error === 'quota') return { verdict: 'final' };
  return said?.waitMs === undefined ? undefined : { verdict: 'refused', waitMs: said.waitMs };
});

const judging: PolicyOptions = { ...atOnce, inspect: byError };
const step = (status: number, says: Says & object): Step => ({ status, body: JSON.stringify(says) });
const OK: Step = { status: 200, body: '{"text":"välue"}' };

/** An adapter that gets a response from another instance, which has parsed it. */
const parsing: AxiosRequestConfig['adapter'] = ({ url, validateStatus, responseType }) =>
  axios.get(url as string, { validateStatus, responseType } as AxiosRequestConfig);

describe.each<[what: string, config: AxiosRequestConfig]>([
  ['json over http', { adapter: 'http', responseType: 'json' }],
  ['text over http', { adapter: 'http', responseType: 'text', transformResponse: [] }],
  ['text in another encoding', { adapter: 'http', responseEncoding: 'latin1', transformResponse: [] }],
  ['a Buffer', { adapter: 'http', responseType: 'arraybuffer' }],
  ['a Node stream', { adapter: 'http', responseType: 'stream' }],
  ['a Node stream with a limit', { adapter: 'http', responseType: 'stream', maxContentLength: 1_000_000 }],
  ['json over fetch', { adapter: 'fetch' }],
  ['text over fetch', { adapter: 'fetch', responseType: 'text', transformResponse: [] }],
  ['an ArrayBuffer', { adapter: 'fetch', responseType: 'arraybuffer' }],
  ['a Blob', { adapter: 'fetch', responseType: 'blob' }],
  ['a web stream', { adapter: 'fetch', responseType: 'stream' }],
  ['json that was parsed before', { adapter: parsing }],
])('%s', (_, config) => {
  /** What the same request returns without ebb. */
  async function plain(response: Step, settings: AxiosRequestConfig = {}) {
    const server = await serve(response);
    return axios.get(server.url, { ...config, validateStatus: null, ...settings } as AxiosRequestConfig);
  }

  test('an error in a 200 is retried; a 200 without one has the same data as without ebb', async () => {
    const server = await serve(step(200, { error: 'overloaded' }), OK);
    const response = await clientOf(config, judging).get(server.url);
    expect([kindsOf(response), reasonsOf(response)]).toEqual([
      [200, 200],
      ['transient', 'success'],
    ]);
    const { data } = await plain(OK);
    expect(Object.prototype.toString.call(response.data)).toBe(Object.prototype.toString.call(data));
    expect(await textIn(response.data)).toBe(await textIn(data));
    expect(server.seen).toHaveLength(2);
  });

  test('the last response is complete, as a result and as an error', async () => {
    for (const status of [200, 500]) {
      const last = step(status, { error: 'overloaded' });
      const server = await serve(last);
      const result = await clientOf(config, { ...judging, maxRetries: 1 })
        .get(server.url)
        .catch((error: unknown) => error);
      const { response = result } = result as { response?: unknown };
      expect(kindsOf(result)).toEqual([status, status]);
      const { data } = response as { data: unknown };
      expect(await textIn(data)).toBe(await textIn((await plain(last)).data));
    }
  });

  test('a 429 can be final, and a 404 transient', async () => {
    const quota = step(429, { error: 'quota' });
    const server = await serve(quota, OK);
    const error = await errorOf(clientOf(config, judging).get(server.url));
    expect(reasonsOf(error)).toEqual(['final']);
    expect(await textIn(error.response?.data)).toBe(await textIn((await plain(quota)).data));
    const moved = await serve(step(404, { error: 'overloaded' }), OK);
    expect(kindsOf(await clientOf(config, judging).get(moved.url))).toEqual([404, 200]);
  });

  test('a wait in the body is kept, with an error status and without', async () => {
    for (const status of [429, 200]) {
      const server = await serve(step(status, { waitMs: 7_000 }), OK);
      const clock = virtualClock({ startMs: 0 });
      const retrying = Promise.withResolvers<unknown>();
      const onEvent: PolicyOptions['onEvent'] = (event) =>
        event.type === 'retry' && retrying.resolve([event.delayMs, event.reason]);
      const client = clientOf(config, { ...judging, clock, random: () => 0, onEvent });
      const response = client.post(server.url);
      expect(await retrying.promise).toEqual([7_000, 'refused']);
      await clock.advance(6_999);
      expect(server.seen).toHaveLength(1);
      await clock.advance(1);
      expect(kindsOf(await response)).toEqual([status, 200]);
      expect(clock.pending).toBe(0);
    }
  });

  test('no more than maxBytes are seen, and the caller gets all', async () => {
    if (config.adapter === parsing) return;
    const body = JSON.stringify('1234567ä90'.repeat(100));
    const server = await serve({ status: 200, body });
    const seen: unknown[] = [];
    const inspect = async (response: InspectedResponse) => {
      seen.push(await response.text(), await response.json());
      return undefined;
    };
    for (const maxBytes of [20, Buffer.byteLength(body)]) {
      const { data } = await clientOf(
        { ...config, transformResponse: [] },
        { inspect: inspectBody(inspect, { maxBytes }) },
      ).get(server.url);
      expect(await textIn(data)).toBe(
        config.responseEncoding === 'latin1' ? Buffer.from(body).toString('latin1') : body,
      );
    }
    const [cut, none, whole, parsed] = seen as string[];
    expect(body).toContain(cut?.slice(0, 8));
    expect([(cut as string).length <= 20, none]).toEqual([true, undefined]);
    // Text is judged in UTF-8: Latin-1 misreads each two bytes as two characters, of two bytes each.
    if (config.responseEncoding !== 'latin1') expect([whole, JSON.stringify(parsed)]).toEqual([body, body]);
  });

  test('a body that no one asks for is not read', async () => {
    const inspect = vi.fn(({ status }: InspectedResponse) =>
      status === 404 ? { verdict: 'transient' as const } : undefined,
    );
    const server = await serve({ status: 404, body: 'x' }, OK);
    const response = await clientOf(config, { ...atOnce, inspect: inspectBody(inspect as Inspect) }).get(
      server.url,
      {
        headers: { a: 'b' },
      },
    );
    expect(kindsOf(response)).toEqual([404, 200]);
    expect(inspect.mock.calls).toMatchObject([[{ status: 404, attempt: 1 }], [{ status: 200, attempt: 2 }]]);
    expect(await textIn(response.data)).toBe(await textIn((await plain(OK)).data));
  });

  test('an inspect that throws or rejects fails the request with a HookError', async () => {
    const server = await serve(OK);
    const cause = new Error('hook');
    const failing = [
      () => {
        throw cause;
      },
      async (response: InspectedResponse) => {
        await response.text();
        throw cause;
      },
    ];
    for (const inspect of failing) {
      const error = await errorOf(
        clientOf(config, { ...atOnce, inspect: inspectBody(inspect as Inspect) }).get(server.url),
      );
      expect(error).toBeInstanceOf(HookError);
      expect(error).toMatchObject({ cause });
    }
    expect(server.seen).toHaveLength(2);
  });

  test('an empty body is empty text', async () => {
    const server = await serve({ status: 200 });
    const seen: unknown[] = [];
    const inspect = async (response: InspectedResponse) => {
      seen.push(await response.text(), await response.json(), await response.firstEvent());
      return undefined;
    };
    const { data } = await clientOf(config, { inspect: inspectBody(inspect) }).get(server.url);
    expect(seen).toEqual(['', undefined, undefined]);
    expect(['', '""']).toContain(await textIn(data));
  });
});

test('inspect sees the text that the server sent, and the caller the data after the transforms', async () => {
  const server = await serve({ status: 200, body: ' {"a": 1}' });
  const texts: string[] = [];
  const inspect = async (response: InspectedResponse) => {
    texts.push(await response.text());
    return undefined;
  };
  const transformResponse = vi.fn((data: string) => data.length);
  for (const adapter of ['http', 'fetch']) {
    const { data } = await clientOf({ adapter, transformResponse }, { inspect: inspectBody(inspect) }).get(
      server.url,
    );
    expect(data).toBe(9);
  }
  expect(texts).toEqual([' {"a": 1}', ' {"a": 1}']);
  expect(transformResponse).toHaveBeenCalledTimes(2);
});

test.each<[what: string, data: unknown, text: string, json: unknown]>([
  ['an object', { a: 1 }, '{"a":1}', { a: 1 }],
  ['a list', [1], '[1]', [1]],
  ['a number', 1, '1', 1],
  ['an ArrayBuffer', new TextEncoder().encode('"a"').buffer, '"a"', 'a'],
  ['a view of a longer buffer', new TextEncoder().encode('x"a"').subarray(1), '"a"', 'a'],
  ['a File', new File(['"a"'], 'name'), '"a"', 'a'],
  ['a form, which has no text', new FormData(), '', undefined],
  ['nothing', undefined, '', undefined],
  ['null', null, '', undefined],
])('data of a custom adapter: %s', async (_, data, text, json) => {
  const seen: unknown[] = [];
  const inspect = async (response: InspectedResponse) => {
    seen.push(await response.text(), await response.json(), response.header('a'));
    return undefined;
  };
  const adapter: AxiosRequestConfig['adapter'] = async (config) =>
    responseTo(config, { data, headers: { a: 'b' } });
  const response = await clientOf({ adapter, transformResponse: [] }, { inspect: inspectBody(inspect) }).get(
    '/',
  );
  expect(seen).toEqual([text, json, 'b']);
  expect(response.data).toBe(data);
});

test.each<[what: string, step: Step, config: AxiosRequestConfig]>([
  ['is not gzip', { status: 500, body: 'x', headers: { 'content-encoding': 'gzip' } }, {}],
  ['is too long', { status: 500, body: 'x'.repeat(100) }, { maxContentLength: 50 }],
  [
    'is too long after gzip',
    {
      status: 500,
      body: gzipSync('x'.repeat(1_000)),
      headers: { 'content-encoding': 'gzip' },
    },
    { maxContentLength: 200 },
  ],
])('an error status is inspected without its body if that %s', async (_, step, config) => {
  for (const adapter of ['http', 'fetch']) {
    const server = await serve(step, OK);
    const seen: unknown[] = [];
    const inspect = async (response: InspectedResponse) => {
      seen.push(response.status, (await response.text()).slice(0, 1));
      return undefined;
    };
    await clientOf({ adapter, ...config }, { ...atOnce, inspect: inspectBody(inspect as Inspect) }).get(
      server.url,
    );
    expect(seen).toEqual([500, '', 200, '{']);
  }
});

test('failures without a response are not inspected', async () => {
  for (const adapter of ['http', 'fetch']) {
    const server = await serve('reset', 'half-body', OK);
    const inspect = vi.fn(() => undefined);
    const response = await clientOf({ adapter }, { ...atOnce, inspect: inspectBody(inspect as Inspect) }).get(
      server.url,
    );
    expect(kindsOf(response)).toEqual(['network', 'network', 200]);
    expect(inspect).toHaveBeenCalledTimes(1);
  }
});

test('an abort during the look rejects with axios’s own CanceledError', async () => {
  for (const adapter of ['http', 'fetch']) {
    const server = await serve('held-200');
    const controller = new AbortController();
    const clock = virtualClock({ startMs: 0 });
    const inspect = async (response: InspectedResponse) => {
      const text = response.text();
      await setImmediate();
      controller.abort(new Error('enough'));
      await text;
      return undefined;
    };
    const client = clientOf(
      { adapter, responseType: 'stream' },
      { ...atOnce, clock, inspect: inspectBody(inspect as Inspect) },
    );
    const error = await errorOf(client.get(server.url, { signal: controller.signal }));
    expect([axios.isCancel(error), error.cause]).toEqual([true, controller.signal.reason]);
    expect([server.seen.length, clock.pending]).toEqual([1, 0]);
    server.letGo();
  }
});
