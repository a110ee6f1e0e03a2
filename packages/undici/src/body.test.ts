import { EventEmitter } from 'node:events';
import { createReadStream, mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attemptsOf, constant, type PolicyOptions } from '@ebb/core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Client, clients } from '../test/clients.ts';
import { begin } from '../test/relay.ts';
import { failing, upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const soon: PolicyOptions = { backoff: constant(0) };
const text = 'text '.repeat(2_000);
const padded = new Uint8Array(Buffer.from(`--${text}--`)).buffer;
const directory = mkdtempSync(join(tmpdir(), 'ebb-undici-'));
const file = join(directory, 'file.txt');
writeFileSync(file, text);
afterAll(() => rmSync(directory, { recursive: true }));

async function* generated(): AsyncGenerator<string> {
  yield text.slice(0, 10);
  yield text.slice(10);
}

/** A stream like that of the form-data package: it can be piped, but is not a `Readable`. */
function oldStream(): EventEmitter {
  const stream = new EventEmitter();
  const resume = () => stream.emit('data', Buffer.from(text)) && stream.emit('end');
  const nothing = (): void => undefined;
  return Object.assign(stream, { resume, pipe: nothing, pause: nothing, destroy: nothing });
}

interface Kind {
  readonly name: string;
  make(client: Client): unknown;
  /** Whether `fetch` takes it, and `request` does. */
  readonly fetch?: false;
  readonly request?: false;
  /** Set if it does not report whether it was read. */
  readonly opaque?: true;
}

const replayed: readonly Kind[] = [
  { name: 'a string', make: () => text },
  { name: 'a Buffer', make: () => Buffer.from(text) },
  { name: 'a typed array', make: () => new TextEncoder().encode(text) },
  { name: 'a view of a part of a buffer', make: () => new DataView(padded, 2, text.length) },
  { name: 'an ArrayBuffer', make: () => new Uint8Array(Buffer.from(text)).buffer },
  { name: 'a Blob', make: () => new Blob([text]) },
  { name: 'a Blob of a file', make: () => openAsBlob(file) },
  { name: 'URLSearchParams', make: () => new URLSearchParams({ text }), request: false },
  { name: 'an array of chunks', make: () => [Buffer.from('te'), Buffer.from(text.slice(2))], fetch: false },
  { name: 'a factory of a stream', make: () => () => createReadStream(file), fetch: false },
  { name: 'a factory of a generator', make: () => generated, fetch: false },
  { name: 'a factory of a string', make: () => () => text, fetch: false },
  { name: 'an async factory', make: () => async () => createReadStream(file), fetch: false },
];

const sentOnce: readonly Kind[] = [
  { name: 'a Node stream', make: () => createReadStream(file), fetch: false },
  { name: 'an old-style stream', make: () => oldStream(), fetch: false, opaque: true },
  { name: 'a web stream', make: () => new Blob([text]).stream() },
  { name: 'an async generator', make: () => generated() },
  { name: 'a generator', make: () => [text].values(), fetch: false },
  { name: 'an iterable', make: () => new Set([text]), fetch: false },
];

const rows = (kinds: readonly Kind[]) =>
  clients.flatMap((client) =>
    kinds
      .filter((kind) => kind[client.isFetch ? 'fetch' : 'request'] !== false)
      .map((kind) => [kind.name, client.name, kind, client] as const),
  );

/** Sends a body through an agent, which ends with the test. */
function put(
  { undici, send }: Client,
  url: string,
  body: unknown,
  { method = 'PUT', ...options }: { readonly method?: string; readonly connect?: unknown } = {},
) {
  const agent = new undici.Agent(options as object);
  onTestFinished(() => agent.destroy());
  return send(url, agent.compose(ebbInterceptor(soon)), { method, body });
}

describe('bodies that can be sent again', () => {
  test.each(rows(replayed))('%s, by %s', async (name, _, kind, client) => {
    await using server = await upstream(failing(503, 429));
    const got = await put(client, server.url, await kind.make(client));
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    const expected = name === 'URLSearchParams' ? String(new URLSearchParams({ text })) : text;
    expect(server.seen.map((seen) => seen.body.toString())).toEqual([expected, expected, expected]);
    const [first] = server.seen;
    for (const { headers } of server.seen) expect(headers).toEqual(first?.headers);
  });

  test.each(clients.map((client) => [client.name, client] as const))('a form, by %s', async (_, client) => {
    await using server = await upstream(failing(503));
    const body = new client.FormData();
    body.set('field', 'value');
    body.set('file', new Blob([text]), 'file.txt');
    const got = await put(client, server.url, body);
    expect([got.status, await got.text()]).toEqual([200, 'ok']);
    for (const { headers, body: sent } of server.seen) {
      const [, boundary] = /boundary=(\S+)/.exec(headers['content-type'] ?? '') ?? [];
      expect(headers['content-length']).toBe(String(sent.length));
      expect(sent.toString()).toMatch(new RegExp(`^--${boundary}\\r\\n`));
      expect(sent.toString().trimEnd()).toMatch(new RegExp(`\\r\\n--${boundary}--$`));
      expect(sent.toString()).toContain(text);
    }
  });
});

describe('bodies that can be sent only once', () => {
  test.each(rows(sentOnce))('%s, by %s: the caller gets the 503', async (_name, _client, kind, client) => {
    await using server = await upstream(failing(503));
    const got = await put(client, server.url, await kind.make(client));
    expect([got.status, await got.text()]).toEqual([503, 'no 1']);
    expect(server.seen.map((seen) => seen.body.toString())).toEqual([text]);
  });

  test.each(rows(sentOnce.filter(({ opaque }) => !opaque)))(
    '%s, by %s: sent again after a refused connection',
    async (_name, _client, kind, client) => {
      await using server = await upstream(failing());
      const connector = client.undici.buildConnector({});
      let refusals = 1;
      const connect: typeof connector = (options, callback) => {
        if (refusals-- > 0) callback(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), null);
        else connector(options, callback);
      };
      const body = await kind.make(client);
      const got = await put(client, server.url, body, { method: 'POST', connect });
      expect([got.status, await got.text()]).toEqual([200, 'ok']);
      expect(refusals).toBe(-1);
      expect(server.seen.map((seen) => seen.body.toString())).toEqual([text]);
    },
  );

  test.each(clients.filter(({ isFetch }) => isFetch).map((client) => [client.name, client] as const))(
    'a body that is too long to keep, by %s',
    async (_, client) => {
      for (const [length, times] of [
        [1024 * 1024, 2],
        [1024 * 1024 + 1, 1],
      ] as const) {
        await using server = await upstream(failing(503));
        const got = await put(client, server.url, 'x'.repeat(length));
        expect([got.status, await got.text()]).toEqual(times === 1 ? [503, 'no 1'] : [200, 'ok']);
        expect(server.seen.map((seen) => seen.body.length)).toEqual(Array(times).fill(length));
      }
    },
  );

  test('a buffer that was transferred in the meantime', () => {
    const body = new TextEncoder().encode(text);
    const { wire, spy } = begin({}, { method: 'PUT', body });
    structuredClone(body, { transfer: [body.buffer] });
    wire.attempt(1).start().head(503).end();
    expect(attemptsOf(spy.context)).toMatchObject([{ reason: 'not-replayable' }]);
  });
});
