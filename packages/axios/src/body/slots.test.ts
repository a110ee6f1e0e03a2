import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { concurrencyLimit, type PolicyOptions } from '@ebb/core';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import type { Step } from '../../../../test/server.ts';
import { atOnce, clientOf } from '../../test/client.ts';
import { slotFreed } from '../../test/slots.ts';

describe.each(['http', 'fetch'])('a streamed response of the %s adapter holds its slot', (adapter) => {
  const setup = (config: AxiosRequestConfig = {}, options: PolicyOptions = {}) => {
    const { clock } = options;
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    const client = clientOf(
      { adapter, responseType: 'stream', ...config },
      { ...atOnce, ...options, concurrency },
    );
    return { concurrency, client };
  };

  test.each<[what: string, step: Step, config: AxiosRequestConfig]>([
    ['a short body', { status: 200, body: '123456789' }, {}],
    ['a body in two parts', 'slow-200', {}],
    ['the body of an error', { status: 404, body: 'no' }, {}],
    ['the body of an unusual status', { status: 999, body: 'odd' }, {}],
    ['a body with maxContentLength', { status: 200, body: 'abc' }, { maxContentLength: 100 }],
    ['a body with onDownloadProgress', { status: 200, body: 'abc' }, { onDownloadProgress: () => undefined }],
    ['a gzipped body', { status: 200, body: gzipSync('abc'), headers: { 'content-encoding': 'gzip' } }, {}],
    ['an empty body', { status: 200 }, {}],
    ['no body, after a HEAD', { status: 200, headers: { 'content-length': '9' } }, { method: 'HEAD' }],
    ['no body, with a 204', { status: 204 }, {}],
  ])('until it has arrived, even if no one reads it: %s', async (_, step, config) => {
    const { concurrency, client } = setup();
    const server = await serve(step);
    const read = () => client.request({ url: server.url, validateStatus: null, ...config });
    const first = await read();
    // Each waits for the slot of the previous response, which is not read.
    for (let call = 0; call < 3; call += 1) await read();
    await slotFreed(concurrency);
    // The body is complete.
    const plain = clientOf({ adapter, validateStatus: null, transformResponse: [] });
    const whole = await plain.request({ url: server.url, ...config });
    if (first.data !== null) expect(await text(first.data)).toBe(whole.data);
  });
});
