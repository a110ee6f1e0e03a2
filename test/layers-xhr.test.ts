import { attemptsOf, constant, createPolicy, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { FakeXhr } from '../packages/axios/test/fake-xhr.ts';
import { serve } from './serve.ts';
import type { Step } from './server.ts';

const DOWN: Step = { status: 503, body: 'down' };

const make = (options: PolicyOptions) => createPolicy({ backoff: constant(0), ...options });

// axios looks for XMLHttpRequest when it is loaded.
const holder = globalThis as { XMLHttpRequest?: unknown };
holder.XMLHttpRequest = FakeXhr;
const { default: axios } = await import('axios');
const { ebbInterceptor } = await import('@ebb/axios');
const native = globalThis.fetch;

beforeEach(() => {
  holder.XMLHttpRequest = FakeXhr;
});
afterAll(() => {
  FakeXhr.fetch = native;
  Reflect.deleteProperty(globalThis, 'XMLHttpRequest');
});

/** axios over an XMLHttpRequest that sends over a fetch with ebb. */
function lay(outer: PolicyOptions, inner: PolicyOptions) {
  FakeXhr.fetch = createFetch(make(inner), native) as typeof fetch;
  const client = axios.create({ adapter: 'xhr', validateStatus: null });
  client.interceptors.request.use(ebbInterceptor(make(outer)));
  return client;
}

describe('axios over an XMLHttpRequest that was polyfilled with an ebb fetch', () => {
  test('only the outermost layer retries', async () => {
    const server = await serve(DOWN);
    const response = await lay({ maxRetries: 2 }, { maxRetries: 4 }).get(server.url);
    expect(server.seen).toHaveLength(3);
    expect(attemptsOf(response).map(({ status }) => status)).toEqual([503, 503, 503]);
    await lay({ maxRetries: 1 }, { maxRetries: 4 }).request(response.config);
    expect(server.seen).toHaveLength(5);
  });

  // A wrapper that Node shows as native code cannot be told from the runtime's own.
  test('if the polyfill hides that it is one, both layers retry', async () => {
    holder.XMLHttpRequest = FakeXhr.bind(null);
    const server = await serve(DOWN);
    await lay({ maxRetries: 1 }, { maxRetries: 1 }).get(server.url);
    expect(server.seen).toHaveLength(4);
  });
});
