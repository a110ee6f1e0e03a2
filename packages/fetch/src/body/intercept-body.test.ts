import { Readable } from 'node:stream';
import * as undici from 'undici';
import * as undici7 from 'undici7';
import { describe, expect, test } from 'vitest';
import { isFree, limited, SHORT } from '../../test/limited.ts';

describe('the response is the one that baseFetch returned', () => {
  test('the same object, with its class and members, and no added property', async () => {
    const given: Response[] = [];
    const { get, bare } = await limited(async (input, init) => {
      const response = await fetch(input, init);
      given.push(response);
      return response;
    });
    const response = await get('/short');
    const plain = await bare('/short');
    expect(response).toBe(given[0]);
    expect(response).toBeInstanceOf(Response);
    expect(response.constructor).toBe(Response);
    expect(Object.keys(response)).toEqual(Object.keys(plain));
    expect(Object.prototype.toString.call(response)).toBe('[object Response]');
    const members = (one: Response) => {
      const names: string[] = [];
      for (const name in one) names.push(name);
      return names.sort();
    };
    expect(members(response)).toEqual(members(plain));
    for (const name of ['url', 'status', 'statusText', 'ok', 'redirected', 'type', 'bodyUsed'] as const) {
      expect(response[name]).toBe(plain[name]);
      expect(response.clone()[name]).toBe(plain[name]);
    }
    expect(() => response.headers.set('a', 'b')).toThrow('immutable');
    expect(response.text.length).toBe(plain.text.length);
    expect(response.text.name).toBe('text');
  });

  test('with a status and a reason that the Response constructor rejects', async () => {
    const { get, bare, inUse } = await limited();
    const [response, plain] = [await get('/999'), await bare('/999')];
    expect([response.status, response.statusText]).toEqual([999, plain.statusText]);
    expect(await response.text()).toBe(SHORT);
    expect(inUse()).toBe(0);
  });

  test.each([
    ['undici 8', undici],
    ['undici 7', undici7],
  ])("%s's own", async (_, { fetch: base, Response: Class }) => {
    const { get, inUse } = await limited(base as never);
    const response = await get('/short');
    expect(response).toBeInstanceOf(Class);
    expect(response.clone()).toBeInstanceOf(Class);
    expect(await response.text()).toBe(SHORT);
    expect(inUse()).toBe(0);
  });
});

describe('a response of a base fetch that is not the network', () => {
  const over = async (make: () => unknown) => limited((async () => make()) as typeof fetch);

  test.each<[string, () => unknown, string]>([
    ['with chunks from the Buffer pool', () => new Response(streamOf(Buffer.from('pooled'))), 'pooled'],
    ['with chunks that the base fetch reuses', () => new Response(streamOf(AGAIN)), 'again'],
    ['with an empty chunk', () => new Response(streamOf(new Uint8Array(0), AGAIN)), 'again'],
    ['of a custom class', () => new (class Own extends Response {})('own'), 'own'],
  ])('%s', async (_, make, text) => {
    const { get, inUse, clock } = await over(make);
    for (const _again of [1, 2]) {
      const response = await get('/');
      expect(await response.text()).toBe(text);
      await clock.advance(1_100);
      expect(inUse()).toBe(0);
    }
  });

  test('of a class whose bodies are web streams, without a body', async () => {
    const bodies = ['text', null];
    const { get, inUse } = await over(() => new Response(bodies.shift() as string));
    expect(await (await get('/')).text()).toBe('text');
    expect((await get('/')).body).toBe(null);
    await isFree(inUse);
  });

  test('of a class whose bodies are web streams, with a Node stream of its own', async () => {
    const made = ['text', 'own'].map((text) => new Response(text));
    Object.defineProperty(made[1], 'body', { value: Readable.from(['own']) });
    const { get, inUse } = await over(() => made.shift());
    expect(await (await get('/')).text()).toBe('text');
    const { body } = await get('/');
    await new Promise(setImmediate);
    expect(inUse()).toBe(1);
    for await (const part of body as never as Readable) expect(part).toBe('own');
    await isFree(inUse);
  });

  test('gives a reader its chunks unchanged', async () => {
    const { get, inUse } = await over(() => new Response(streamOf(Buffer.from('pooled'), 'text')));
    const reader = ((await get('/')).body as ReadableStream).getReader();
    expect(String((await reader.read()).value)).toBe('pooled');
    expect((await reader.read()).value).toBe('text');
    expect((await reader.read()).done).toBe(true);
    expect(inUse()).toBe(0);
  });

  test('returned twice', async () => {
    const response = new Response('once');
    const { get, inUse } = await over(() => response);
    const concurrent = [get('/')];
    await concurrent[0];
    expect(await response.text()).toBe('once');
    expect(inUse()).toBe(0);
    expect(await get('/')).toBe(response);
    expect(inUse()).toBe(0);
  });

  test('with getters that throw', async () => {
    const broken = {
      status: 200,
      get body(): never {
        throw new Error('no body');
      },
    };
    const { get, inUse } = await over(() => broken);
    expect(await get('/')).toBe(broken);
    expect(inUse()).toBe(0);
  });
});

const AGAIN = new TextEncoder().encode('again');

function streamOf(...chunks: unknown[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
