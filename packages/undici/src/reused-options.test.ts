import { setImmediate as turn } from 'node:timers/promises';
import { constant, tokenBucket } from '@ebb/core';
import { Agent, type Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { ebbInterceptor } from './index.ts';

// A program may use the options of a request again for another one, with changes, before the request has ended.

interface Options extends Omit<Dispatcher.RequestOptions, 'headers' | 'query'> {
  headers: Record<string, string | string[]>;
  query: Record<string, string | string[]>;
}

const policies = {
  'sent at once': () => ({ backoff: constant(0) }),
  'with hooks': () => ({ backoff: constant(0), onEvent: () => undefined }),
  'that waits': () => ({
    backoff: constant(0),
    bucket: tokenBucket({ capacity: 1, refillPerSecond: 100, initialTokens: 0 }),
  }),
};

const CHANGES: Readonly<Record<string, (options: Options) => unknown>> = {
  path: (options) => Object.assign(options, { path: '/two' }),
  method: (options) => Object.assign(options, { method: 'DELETE' }),
  'a header': ({ headers }) => Object.assign(headers, { 'x-user': 'two' }),
  'a value of a header': ({ headers }) => (headers['x-tag'] as string[]).push('two'),
  'the query': ({ query }) => Object.assign(query, { page: '2' }),
  'a value of the query': ({ query }) => (query.tag as string[]).push('two'),
};

describe.each(Object.entries(policies))('of a request %s', (_, policy) => {
  test.each(Object.entries(CHANGES))('%s that is changed changes no attempt', async (__, change) => {
    const server = await serve({ status: 503 }, { status: 200, body: 'up' });
    const dispatcher = new Agent().compose(ebbInterceptor(policy()));
    const options: Options = {
      origin: server.url,
      path: '/one',
      method: 'GET',
      headers: { 'x-user': 'one', 'x-tag': ['one'] },
      query: { page: '1', tag: ['one'] },
    };
    const got = dispatcher.request(options);
    change(options);
    const { statusCode, body } = await got;
    await body.dump();
    expect(statusCode).toBe(200);
    await turn();
    const sent = server.seen.map(({ method, path, headers }) => [
      ...[method, path, headers['x-user'], headers['x-tag']],
    ]);
    const one = ['GET', '/one?page=1&tag=one', 'one', 'one'];
    expect(sent).toEqual([one, one]);
    await dispatcher.close();
  });
});
