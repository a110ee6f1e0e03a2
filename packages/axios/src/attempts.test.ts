import { attemptsOf } from '@ebb/core';
import axios, { type AxiosRequestConfig } from 'axios';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { clientOf, errorOf, kindsOf } from '../test/client.ts';
import { UP } from '../test/steps.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A timeout of axios, which fake timers end when the server hangs. */
const timeout = 60_000;

describe.each(['http', 'fetch'])('over the %s adapter', (adapter) => {
  test.each<[what: string, script: Step[], kinds: (number | string)[], config: AxiosRequestConfig]>([
    ['a server that hangs, until the timeout', ['hang', UP], ['timeout', 200], {}],
    ['two hangs: each attempt has the whole timeout', ['hang', 'hang', UP], ['timeout', 'timeout', 200], {}],
    [
      'a timeout with clarifyTimeoutError and timeoutErrorMessage',
      ['hang', UP],
      ['timeout', 200],
      { transitional: { clarifyTimeoutError: true }, timeoutErrorMessage: 'too slow' },
    ],
    [
      'a timeout with timeoutErrorMessage',
      ['hang', UP],
      ['timeout', 200],
      { timeoutErrorMessage: 'too slow' },
    ],
  ])('%s', async (_, script, kinds, config) => {
    const server = await serve(...script);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    server.onHang = () => vi.advanceTimersByTime(timeout);
    const result = await clientOf({ adapter, timeout, ...config })
      .request({ url: server.url })
      .catch((error: unknown) => error);
    expect(kindsOf(result)).toEqual(kinds);
    expect(server.seen).toHaveLength(kinds.length);
  });

  test.each<[string, AxiosRequestConfig]>([
    ['an invalid URL', { url: 'http://' }],
    ['a relative URL', { url: '/path' }],
    ['an unknown scheme', { url: 'foo://upstream/' }],
    ['an invalid header', { url: 'http://127.0.0.1/', headers: { 'a b': 'c' } }],
  ])('%s is final, and rejects with axios’s own error', async (_, config) => {
    const plain = await errorOf(axios.request({ adapter, ...config }));
    const error = await errorOf(clientOf({ adapter }).request(config));
    expect(attemptsOf(error)).toMatchObject([{ failure: 'unknown', reason: 'final' }]);
    expect([error.name, error.message, error.code]).toEqual([plain.name, plain.message, plain.code]);
  });
});
