import { attemptsOf, type PolicyOptions } from '@ebb/core';
import { LAYER } from '@ebb/core/adapter';
import axios, { type AxiosAdapter, type AxiosRequestConfig, type InternalAxiosRequestConfig } from 'axios';
import { expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { statuses } from '../test/adapters.ts';
import { atOnce, clientOf, errorOf, reasonsOf } from '../test/client.ts';
import { DOWN, UP } from '../test/steps.ts';
import { ebbInterceptor } from './index.ts';

test('the caller’s adapter stands in the config during an attempt and afterwards', async () => {
  const during: unknown[] = [];
  const adapter: AxiosAdapter = async (config) => {
    during.push(config.adapter);
    return statuses(during.length % 2 === 1 ? 503 : 200)(config);
  };
  const { config } = await clientOf({ adapter }).get('/');
  expect(during).toEqual([adapter, adapter]);
  expect(config.adapter).toBe(adapter);
  expect(Reflect.ownKeys(config).filter((key) => typeof key === 'symbol')).toEqual([]);
});

test('between two attempts the config is the caller’s', async () => {
  const between: unknown[] = [];
  let config: InternalAxiosRequestConfig | undefined;
  const script = statuses(503, 200);
  const adapter: AxiosAdapter = (sent) => {
    config = sent;
    return script(sent);
  };
  const onEvent: PolicyOptions['onEvent'] = ({ type }) => {
    if (type === 'retry') between.push(config?.data, Object.getOwnPropertySymbols(config));
  };
  const client = clientOf({ adapter }, { ...atOnce, onEvent });
  const makeBody = () => 'text';
  await client.put('http://upstream/', makeBody);
  expect(between).toEqual([makeBody, []]);
});

test.each<[what: string, given: AxiosRequestConfig]>([
  ['no options', {}],
  ['options of ebb', { ebb: { maxRetries: 3 } }],
  ['fetchOptions', { fetchOptions: { keepalive: true } } as AxiosRequestConfig],
])('with %s the mark of a layer is in the config in an attempt alone', async (_, given) => {
  const seen: unknown[] = [];
  const look = (config: object): void => {
    const { ebb, fetchOptions } = config as { ebb?: object; fetchOptions?: object };
    const isMarked = Object.getOwnPropertySymbols(fetchOptions ?? {}).includes(LAYER);
    seen.push({ ebb, keys: fetchOptions && Object.keys(fetchOptions), isMarked });
  };
  let sent: InternalAxiosRequestConfig | undefined;
  const script = statuses(503, 200);
  const adapter: AxiosAdapter = (config) => {
    sent = config;
    look(config);
    return script(config);
  };
  const onEvent: PolicyOptions['onEvent'] = ({ type }) => {
    if (type === 'retry') look(sent as object);
  };
  const { config } = await clientOf({ adapter }, { ...atOnce, onEvent }).get('/', given);
  look(config);
  const keys = 'fetchOptions' in given ? ['keepalive'] : undefined;
  // The layers below do not get the options of this one.
  const during = { ebb: undefined, keys: keys ?? [], isMarked: true };
  const otherwise = { ebb: given.ebb, keys, isMarked: false };
  expect(seen).toEqual([during, otherwise, during, otherwise]);
  expect('ebb' in config).toBe('ebb' in given);
});

test.each([
  ['a name', 'http' as const, 'http'],
  ['a list', ['nothing', 'http', 'fetch'].slice(1) as 'http'[], ['http', 'fetch']],
  ['a list with a function', [statuses(503, 200)], undefined],
  ['the default', undefined, axios.defaults.adapter],
])('%s is resolved as in axios', async (_, adapter, expected) => {
  const server = await serve(DOWN, UP);
  const client = clientOf(adapter === undefined ? {} : { adapter });
  const { status, config } = await client.get(server.url);
  expect(status).toBe(200);
  expect(config.adapter).toEqual(expected ?? adapter);
});

test.each<[what: string, first: () => unknown, reasons: string[]]>([
  [
    'that throws at once',
    () => {
      throw new axios.AxiosError('reset', 'ECONNRESET');
    },
    ['transient', 'success'],
  ],
  ['that returns no promise', () => ({ status: 204 }), ['success']],
])('an adapter %s is as any other', async (_, first, reasons) => {
  const adapter = vi.fn(statuses(200)).mockImplementationOnce(first as never);
  expect(reasonsOf(await clientOf({ adapter }).get('/'))).toEqual(reasons);
});

test('a config without an adapter uses axios’s default', async () => {
  const server = await serve(DOWN, UP);
  const client = clientOf({});
  client.interceptors.request.use(({ adapter, ...config }) => config as InternalAxiosRequestConfig);
  const { config } = await client.get(server.url);
  expect([server.seen.length, 'adapter' in config]).toEqual([2, false]);
});

test('an unknown name rejects with axios’s own error', async () => {
  const plain = await errorOf(axios.get('/', { adapter: 'nonsense' }));
  const client = axios.create({ adapter: 'nonsense' });
  client.interceptors.request.use(ebbInterceptor());
  expect((await errorOf(client.get('/'))).message).toBe(plain.message);
});

test('the config of a result can be sent again, and is retried as a new request', async () => {
  const adapter = statuses(503, 503, 503, 200, 503, 200);
  const client = clientOf({ adapter }, { ...atOnce, maxRetries: 1 });
  const error = await errorOf(client.put('http://upstream/', { a: 1 }));
  expect(adapter).toHaveBeenCalledTimes(2);
  expect(error.config?.adapter).toBe(adapter);
  expect(Object.getOwnPropertySymbols(error.config)).toEqual([]);
  const response = await client.request(error.config ?? {});
  expect([response.status, attemptsOf(response).length]).toEqual([200, 2]);
  const again = await client.request(response.config);
  expect([again.status, attemptsOf(again).length]).toEqual([200, 2]);
  expect(again.config.adapter).toBe(adapter);
  expect(again.config.data).toBe('{"a":1}');
});
