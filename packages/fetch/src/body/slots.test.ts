import { type ConcurrencyLimit, concurrencyLimit, constant, createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import * as undici from 'undici';
import * as undici7 from 'undici7';
import { describe, expect, test, vi } from 'vitest';
import { serveWith } from '../../test/serve-with.ts';
import { createFetch } from '../index.ts';

const SHORT = 'a short body';

/** A fetch with one slot, over a server that behaves according to the path. */
async function limited(baseFetch: typeof fetch = fetch, clock = virtualClock()) {
  const gates = new Map<string, () => void>();
  const { url } = await serveWith((request, response) => {
    const path = request.url ?? '';
    const type = { 'content-type': 'text/plain' };
    if (path === '/short') response.writeHead(200, { ...type, 'content-length': SHORT.length }).end(SHORT);
    else if (path === '/json') response.writeHead(200).end('{"a":1}');
    else if (path === '/404') response.writeHead(404, { 'content-length': SHORT.length }).end(SHORT);
    else if (path === '/empty') response.writeHead(200, { 'content-length': 0 }).end();
    else if (path === '/204') response.writeHead(204).end();
    else if (path === '/999') response.writeHead(999, 'Re\u00e4son', type).end(SHORT);
    else if (path === '/long') response.writeHead(200).end(Buffer.alloc(8_000_000, 'x'));
    else if (path === '/form') response.writeHead(200, type).end(SHORT);
    else if (path === '/gated') {
      response.writeHead(200, type).write('12345');
      gates.set('open', () => response.end('67890'));
      gates.set('break', () => response.destroy());
    } else response.writeHead(500).end();
  });
  const concurrency: ConcurrencyLimit = concurrencyLimit({ maxConcurrent: 1 });
  const policy = createPolicy({ concurrency, backoff: constant(0), maxRetries: 0, clock });
  const ebbFetch = createFetch(policy, baseFetch);
  return {
    get: (path: string, init?: RequestInit) => ebbFetch(new URL(path, url), init),
    bare: (path: string) => baseFetch(new URL(path, url)),
    inUse: () => concurrency.stats().inUse,
    gate: (name: 'open' | 'break') => gates.get(name)?.(),
    clock,
  };
}

const isFree = (inUse: () => number) => expect.poll(inUse, { timeout: 5_000 }).toBe(0);

describe('a body that is read releases its slot at its end', () => {
  test.each<[string, string, (response: Response) => Promise<unknown>, unknown]>([
    ['text()', '/short', (response) => response.text(), SHORT],
    ['json()', '/json', (response) => response.json(), { a: 1 }],
    ['arrayBuffer()', '/short', async (response) => (await response.arrayBuffer()).byteLength, SHORT.length],
    ['blob()', '/short', async (response) => (await response.blob()).type, 'text/plain'],
    ['bytes()', '/short', async (response) => (await response.bytes()).byteLength, SHORT.length],
    ['body, then text()', '/short', async (response) => response.body && response.text(), SHORT],
    ['new Response(body)', '/short', (response) => new Response(response.body).text(), SHORT],
    ['a clone', '/short', (response) => response.clone().text(), SHORT],
    ['a clone of a clone', '/short', (response) => response.clone().clone().text(), SHORT],
    [
      'for await',
      '/long',
      async (response) => {
        let bytes = 0;
        for await (const part of response.body as never as AsyncIterable<Uint8Array>) bytes += part.length;
        return bytes;
      },
      8_000_000,
    ],
    [
      'a reader',
      '/long',
      async (response) => {
        const reader = (response.body as ReadableStream<Uint8Array>).getReader();
        let bytes = 0;
        for (let part = await reader.read(); !part.done; part = await reader.read())
          bytes += part.value.length;
        return bytes;
      },
      8_000_000,
    ],
    [
      'a byob reader',
      '/long',
      async (response) => {
        const reader = (response.body as ReadableStream<Uint8Array>).getReader({ mode: 'byob' });
        let bytes = 0;
        for (;;) {
          const part = await reader.read(new Uint8Array(65_536));
          if (part.done) return bytes;
          bytes += part.value.length;
        }
      },
      8_000_000,
    ],
    [
      'pipeThrough',
      '/short',
      (response) =>
        new Response(
          (response.body as ReadableStream<BufferSource>)
            .pipeThrough(new TextDecoderStream())
            .pipeThrough(new TextEncoderStream()),
        ).text(),
      SHORT,
    ],
    [
      'one branch of tee()',
      '/short',
      (response) => new Response((response.body as ReadableStream).tee()[1]).text(),
      SHORT,
    ],
    [
      'a reader that stops at the last byte',
      '/short',
      async (response) =>
        (await (response.body as ReadableStream<Uint8Array>).getReader().read()).value?.length,
      SHORT.length,
    ],
  ])('%s', async (_, path, read, expected) => {
    const { get, inUse } = await limited();
    const response = await get(path);
    expect(inUse()).toBe(1);
    expect(await read(response)).toEqual(expected);
    await isFree(inUse);
  });

  test('of both a response and its clone', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    const copy = response.clone();
    const lengths = await Promise.all([response, copy].map(async (one) => (await one.text()).length));
    expect(lengths).toEqual([8_000_000, 8_000_000]);
    expect(inUse()).toBe(0);
  });

  test('before code that awaits the body continues', async () => {
    const { get, inUse } = await limited();
    await (await get('/short')).text();
    expect(inUse()).toBe(0);
  });

  test('not when a second read is rejected during the first', async () => {
    const { get, inUse, gate } = await limited();
    const response = await get('/gated');
    const reading = response.text();
    await expect(response.text()).rejects.toThrow(TypeError);
    await expect(response.json()).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
    expect(inUse()).toBe(1);
    gate('open');
    expect(await reading).toBe('1234567890');
    expect(inUse()).toBe(0);
  });

  test('not when formData() rejects a body that is not a form, without reading it', async () => {
    const { get, bare, inUse } = await limited();
    const [response, plain] = [await get('/form'), await bare('/form')];
    await expect(response.formData()).rejects.toThrow(TypeError);
    await expect(plain.formData()).rejects.toThrow(TypeError);
    expect(response.bodyUsed).toBe(plain.bodyUsed);
    expect(inUse()).toBe(response.bodyUsed ? 0 : 1);
    if (!response.bodyUsed) await response.body?.cancel();
    expect(inUse()).toBe(0);
  });
});

describe('a body that is not read releases its slot', () => {
  test('after a second if it is short, and can still be read', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/short');
    await clock.advance(999);
    expect(inUse()).toBe(1);
    await clock.advance(100);
    await isFree(inUse);
    expect(response.bodyUsed).toBe(false);
    expect(await response.text()).toBe(SHORT);
  });

  test('at once for an error status', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/404');
    expect(inUse()).toBe(1);
    await isFree(inUse);
    expect(clock.pending).toBe(0);
    expect(await response.text()).toBe(SHORT);
  });

  test.each(['/empty', '/204'])('at once for %s', async (path) => {
    const { get, inUse } = await limited();
    await get(path);
    expect(inUse()).toBe(0);
  });

  test('at once for HEAD', async () => {
    const { get, inUse } = await limited();
    await get('/short', { method: 'HEAD' });
    expect(inUse()).toBe(0);
  });

  test('if it is long, when it is cancelled', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/long');
    await clock.advance(1_100);
    await clock.advance(6_000);
    expect(inUse()).toBe(1);
    await response.body?.cancel();
    expect(inUse()).toBe(0);
  });

  test('if it is long, and it is whole when read after the check', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/long');
    const { body } = response;
    await clock.advance(1_100);
    await clock.advance(6_000);
    expect((await new Response(body).arrayBuffer()).byteLength).toBe(8_000_000);
    await isFree(inUse);
  });

  test('when it has arrived, if that is within five seconds', async () => {
    const { get, inUse, clock, gate } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    expect(inUse()).toBe(1);
    gate('open');
    await isFree(inUse);
    expect(clock.pending).toBe(0);
    expect(await response.text()).toBe('1234567890');
  });

  test('if it arrives later, when it is read', async () => {
    const { get, inUse, clock, gate } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    await clock.advance(5_500);
    expect(clock.pending).toBe(0);
    gate('open');
    expect(inUse()).toBe(1);
    expect(await response.text()).toBe('1234567890');
    expect(inUse()).toBe(0);
  });

  test('also after `body` was accessed but not read', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/short');
    expect(response.body).toBe(response.body);
    await clock.advance(1_100);
    await isFree(inUse);
    expect(await new Response(response.body).text()).toBe(SHORT);
  });

  test('also that of a clone', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/short');
    const copy = response.clone();
    await clock.advance(1_100);
    await isFree(inUse);
    expect(await Promise.all([response.text(), copy.text()])).toEqual([SHORT, SHORT]);
  });

  test('at the check, if the native body is being read', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/short');
    expect(await Response.prototype.text.call(response)).toBe(SHORT);
    await clock.advance(1_100);
    expect(inUse()).toBe(0);
  });
});

describe('cancelling', () => {
  test('the body releases the slot, and the body is empty', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    await response.body?.cancel();
    expect(inUse()).toBe(0);
    expect(response.bodyUsed).toBe(true);
  });

  test('a reader of the body releases the slot', async () => {
    const { get, inUse } = await limited();
    const reader = (await get('/long')).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(inUse()).toBe(0);
  });

  test('one of two branches keeps the slot for the other', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    const copy = response.clone();
    void response.body?.cancel();
    await new Promise(setImmediate);
    expect(inUse()).toBe(1);
    expect((await copy.arrayBuffer()).byteLength).toBe(8_000_000);
    expect(inUse()).toBe(0);
  });

  test('both branches releases the slot', async () => {
    const { get, inUse } = await limited();
    const response = await get('/long');
    const copy = response.clone();
    await Promise.all([response.body?.cancel(), copy.body?.cancel()]);
    expect(inUse()).toBe(0);
  });

  test('while the body is read ahead releases the slot', async () => {
    const { get, inUse, clock } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    await response.body?.cancel();
    expect(inUse()).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe('a body that breaks releases its slot', () => {
  test('during text(), with the error of baseFetch', async () => {
    const { get, bare, inUse, gate } = await limited();
    const response = await get('/gated');
    const text = response.text().catch((error: unknown) => error);
    gate('break');
    expect(inUse()).toBe(1);
    const broken = { name: 'TypeError', message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } };
    expect(await text).toMatchObject(broken);
    expect(inUse()).toBe(0);
    const plain = (await bare('/gated')).text().catch((error: unknown) => error);
    gate('break');
    expect(await plain).toMatchObject(broken);
  });

  test('during a partial read', async () => {
    const { get, inUse, gate } = await limited();
    const reader = ((await get('/gated')).body as ReadableStream).getReader();
    await reader.read();
    const next = reader.read();
    gate('break');
    await expect(next).rejects.toThrow('terminated');
    await expect(reader.closed).rejects.toThrow('terminated');
    expect(inUse()).toBe(0);
  });

  test('with a reader that waits on `closed`, which rejects', async () => {
    const { get, inUse, gate } = await limited();
    const reader = ((await get('/gated')).body as ReadableStream).getReader();
    gate('break');
    await expect(reader.closed).rejects.toThrow('terminated');
    expect(inUse()).toBe(0);
  });

  test('unread', async () => {
    const { get, inUse, gate, clock } = await limited();
    const response = await get('/gated');
    await clock.advance(1_100);
    gate('break');
    await isFree(inUse);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('by an abort, read or not', async () => {
    for (const isRead of [true, false]) {
      const { get, inUse } = await limited();
      const controller = new AbortController();
      const response = await get('/gated', { signal: controller.signal });
      const text = isRead && response.text().catch((error: unknown) => error);
      controller.abort(new Error('enough'));
      if (text) expect(await text).toBe(controller.signal.reason);
      expect(inUse()).toBe(0);
    }
  });

  test('and an unhandled error still reaches the process', async () => {
    const { get, gate } = await limited();
    const listener = vi.fn();
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.once('unhandledRejection', listener);
    void (await get('/gated')).text();
    gate('break');
    await expect.poll(() => listener.mock.calls.length).toBe(1);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });
});

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

  test('locked when it is read, and unlocked when it is not', async () => {
    const { get } = await limited();
    const response = await get('/short');
    const { body } = response;
    expect([body?.locked, response.bodyUsed]).toEqual([false, false]);
    const text = response.text();
    expect([body?.locked, response.bodyUsed]).toEqual([true, true]);
    await text;
    const other = await get('/short');
    const reader = other.body?.getReader();
    await expect(other.text()).rejects.toThrow(TypeError);
    expect(() => other.clone()).toThrow(TypeError);
    await reader?.cancel();
  });
});

describe('a response of a base fetch that is not the network', () => {
  const over = async (make: () => unknown) => limited((async () => make()) as typeof fetch);

  test.each<[string, () => unknown, string]>([
    ['with chunks from the Buffer pool', () => new Response(streamOf(Buffer.from('pooled'))), 'pooled'],
    ['with chunks that the base fetch reuses', () => new Response(streamOf(AGAIN)), 'again'],
    ['with an empty chunk', () => new Response(streamOf(new Uint8Array(0), AGAIN)), 'again'],
    ['that is a mock', () => ({ status: 200, text: async () => 'mock' }), 'mock'],
    ['whose body is a string', () => ({ status: 200, body: 'mock', text: async () => 'mock' }), 'mock'],
    ['that is frozen', () => Object.freeze(new Response('frozen')), 'frozen'],
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

  test('null', async () => {
    const { get, inUse } = await over(() => null);
    expect(await get('/')).toBe(null);
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
