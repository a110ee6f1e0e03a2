import { constant, type PolicyOptions } from '@ebb/core';
import axios, {
  AxiosError,
  AxiosHeaders,
  type AxiosRequestConfig,
  type InternalAxiosRequestConfig,
} from 'axios';
import { describe, expect, test } from 'vitest';
import { deduplicate } from './deduplicate.ts';
import { failover } from './failover.ts';
import { ebbInterceptor } from './index.ts';

const [A, B] = ['http://a.test:8080', 'https://b.test'] as const;

/** A client over an adapter that answers with the status of an origin. */
function client(statuses: Record<string, number>, options: PolicyOptions = {}) {
  const sent: { url: string; headers: object; data: unknown }[] = [];
  const adapter = async (config: InternalAxiosRequestConfig) => {
    const { origin } = new URL(axios.getUri(config));
    sent.push({ url: axios.getUri(config), headers: { ...config.headers }, data: config.data });
    const status = statuses[origin] ?? 404;
    const headers = new AxiosHeaders();
    const response = { status, statusText: '', headers, config, data: origin, request: {} };
    if (status < 400) return response;
    throw new AxiosError('no', AxiosError.ERR_BAD_RESPONSE, config, {}, response);
  };
  const plugin = failover({ origins: [A, B], consecutiveFailures: 2 });
  const instance = axios.create({ adapter, transformResponse: [] });
  instance.interceptors.request.use(ebbInterceptor({ backoff: constant(0), plugins: [plugin], ...options }));
  const send = async (config: AxiosRequestConfig) => {
    const settled = await instance.request(config).catch((error: AxiosError) => error);
    return settled as { config: AxiosRequestConfig; status?: number; data?: unknown };
  };
  return { send, sent, plugin, urls: () => sent.map(({ url }) => url) };
}

describe('a retry goes to the next origin', () => {
  test.each<[what: string, config: AxiosRequestConfig, path: string]>([
    ['of a URL', { url: `${A}/items?page=2` }, '/items?page=2'],
    ['of parts', { baseURL: `${A}/api`, url: 'items', params: { page: 2 } }, '/api/items?page=2'],
    ['of parts with another base', { baseURL: 'http://x.test', url: `${A}/`, params: { a: 1 } }, '/?a=1'],
  ])('%s', async (_, config, path) => {
    const { send, urls } = client({ [A]: 503, [B]: 200 });
    const { status, data } = await send(config);
    expect([status, data, ...urls()]).toEqual([200, B, `${A}${path}`, `${B}${path}`]);
  });

  test('with headers and data, and the caller finds its config', async () => {
    const { send, sent } = client({ [A]: 503, [B]: 200 });
    const config = { method: 'PUT', baseURL: A, url: '/x', params: { a: 1 }, data: 'text' };
    const got = await send({ ...config, headers: { authorization: 'secret' } });
    expect(got.config).toMatchObject({ ...config, method: 'put' });
    expect(sent.map(({ data }) => data)).toEqual(['text', 'text']);
    for (const { headers } of sent) expect(headers).toMatchObject({ authorization: 'secret' });
  });

  test("without a caller's `Host`", async () => {
    const { send, sent } = client({ [A]: 503, [B]: 200 });
    await send({ url: `${A}/`, headers: { Host: 'a.test', 'x-user': 'one' } });
    const names = sent.map(({ headers }) => Object.keys(headers).filter((name) => /host|x-user/i.test(name)));
    expect(names).toEqual([['Host', 'x-user'], ['x-user']]);
  });

  test('unless it may not be repeated', async () => {
    const { send, urls } = client({ [A]: 502, [B]: 200 });
    expect((await send({ url: `${A}/`, method: 'POST', data: 'x' })).status).toBe(502);
    expect(urls()).toEqual([`${A}/`]);
  });
});

test('a policy that deduplicates is refused', async () => {
  const { send } = client({ [A]: 200 }, { middleware: [deduplicate()] });
  expect(await send({ url: A })).toMatchObject({ message: expect.stringContaining('failover: not beside') });
});
