import { Readable, Transform } from 'node:stream';
import axios from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { sentBody } from '../../test/bodies.ts';
import { atOnce, clientOf, errorOf } from '../../test/client.ts';
import { DOWN, UP } from '../../test/steps.ts';
import { ebbInterceptor } from '../index.ts';

describe.each(['http', 'fetch'])('a body factory over the %s adapter', (adapter) => {
  test('makes bodies that are each transformed once, with their own content-length', async () => {
    const server = await serve(DOWN, DOWN, UP);
    let made = 0;
    const { config } = await clientOf({ adapter }).put(server.url, async () => {
      made += 1;
      return { made: 'x'.repeat(made) };
    });
    expect(server.seen.map(sentBody)).toEqual(
      ['x', 'xx', 'xxx'].map((made) => {
        const body = JSON.stringify({ made });
        return { body, type: 'application/json', length: String(body.length) };
      }),
    );
    expect(config.transformRequest).toEqual(axios.defaults.transformRequest);
  });
});

describe('a body factory', () => {
  test('is not passed to the transforms; the bodies that it makes are', async () => {
    const server = await serve(DOWN, UP);
    const shown: unknown[] = [];
    const client = clientOf({
      adapter: 'http',
      transformRequest: [
        (data, headers) => {
          shown.push(typeof data);
          headers.setContentType('text/special', false);
          return data.pipe(new Transform({ transform: (part, _, done) => done(null, `${part}!`) }));
        },
      ],
    });
    await client.put(server.url, () => Readable.from(['text']));
    expect(shown).toEqual(['object', 'object']);
    expect(server.seen.map(sentBody)).toEqual([
      { body: 'text!', type: 'text/special', length: undefined },
      { body: 'text!', type: 'text/special', length: undefined },
    ]);
  });

  test('sends the content-type that the caller set, or else axios’s default', async () => {
    const server = await serve(UP);
    const client = clientOf({ adapter: 'http' });
    await client.post(server.url, () => '{}', { headers: { 'Content-Type': 'application/json' } });
    await client.post(server.url, () => 'a=b');
    await client.post(server.url, 'a=b');
    await client.delete(server.url, { data: () => 'a=b' });
    await client.delete(server.url, { data: 'a=b' });
    const types = server.seen.map(({ headers }) => headers['content-type']);
    const guess = 'application/x-www-form-urlencoded';
    expect(types).toEqual(['application/json', guess, guess, undefined, undefined]);
  });

  test('can be replaced by a later interceptor', async () => {
    const server = await serve(UP);
    const client = axios.create();
    client.interceptors.request.use((config) => Object.assign(config, { data: { a: 1 } }));
    client.interceptors.request.use(ebbInterceptor(atOnce));
    await client.put(server.url, () => expect.fail('was called'));
    expect(server.seen.map(sentBody)).toMatchObject([{ body: '{"a":1}', type: 'application/json' }]);
  });

  test('can be replaced by another factory, but a later interceptor cannot set the first one', async () => {
    const server = await serve(UP);
    const client = axios.create();
    client.interceptors.request.use((config) => Object.assign(config, { data: () => 'other' }));
    client.interceptors.request.use(ebbInterceptor(atOnce));
    await client.put(server.url, () => expect.fail('was called'));
    expect(server.seen.map(({ body }) => body)).toEqual(['other']);
    const error = await errorOf(client.put(server.url, 'text'));
    expect(error.message).toBe('data: a body function must be set before ebb’s interceptor runs');
    expect(server.seen).toHaveLength(1);
  });

  test('that returns the same stream twice rejects the request, and no empty body is sent', async () => {
    const server = await serve(DOWN, UP);
    const stream = Readable.from(['text']);
    const error = await errorOf(clientOf({ adapter: 'http' }).put(server.url, () => stream));
    expect(error.message).toBe('data failed: it returned the same stream twice');
    expect(server.seen.map(({ body }) => body)).toEqual(['text']);
  });
});
