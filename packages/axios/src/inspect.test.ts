import { type InspectedResponse, inspectBody, type PolicyOptions } from '@ebb/core';
import axios, { type AxiosRequestConfig } from 'axios';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { responseTo } from '../test/adapters.ts';
import { atOnce, clientOf, kindsOf, reasonsOf } from '../test/client.ts';
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
  ['an ArrayBuffer', new TextEncoder().encode('"a"').buffer, '"a"', 'a'],
  ['a form, which has no text', new FormData(), '', undefined],
  ['nothing', undefined, '', undefined],
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
