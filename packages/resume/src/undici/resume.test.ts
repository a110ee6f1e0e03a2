import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { attemptsOf, constant, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { describe, expect, test } from 'vitest';
import { clients, versions } from '../../../undici/test/clients.ts';
import { get, passBackoff, resumingInterceptor, setUp } from '../../../undici/test/relay.ts';
import { rawUpstream, type Upstream } from '../../../undici/test/upstream.ts';

const soon: PolicyOptions = { backoff: constant(0) };
const broken = (): Error => Object.assign(new Error('broken'), { code: 'ECONNRESET' });
const whole = { etag: '"a"', 'content-length': '10' };
const rest = { etag: '"a"', 'content-length': '5', 'content-range': 'bytes 5-9/10' };

interface Row {
  readonly name: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** The first response, of which `01234` arrives. */
  readonly status?: number;
  readonly first?: Record<string, string>;
}

function begin(options: PolicyOptions = {}, request: object = {}) {
  const setting = setUp({ backoff: constant(0), ...options }, resumingInterceptor);
  setting.dispatch({ ...get, ...request }, setting.spy);
  return setting;
}

async function breakAfterFive({ status = 200, first = whole, ...request }: Omit<Row, 'name'>) {
  const { wire, spy } = begin({}, request);
  const error = broken();
  wire.attempt(1).start().head(status, first).data('01234').fail(error);
  await nextTurn();
  return { wire, spy, error };
}

test('a download whose rest does not come within a total timeout from its break ends with the error of the break', async () => {
  const { wire, spy, clock } = begin({ totalTimeoutMs: 10_000 });
  wire.attempt(1).start().head(503).data('busy').end();
  await passBackoff(clock, 0);
  wire.attempt(2).start().head(200, whole).data('01234');
  await clock.advance(9_000);
  const error = broken();
  wire.attempt(2).fail(error);
  await passBackoff(clock, 0);
  wire.attempt(3).start();
  await clock.advance(9_999);
  expect(spy.calls).toEqual(['start', 'head 200', 'data 01234']);
  await clock.advance(1);
  expect(spy.calls).toEqual(['start', 'head 200', 'data 01234', 'error broken']);
  expect(spy.error).toBe(error);
  expect(error.cause).toMatchObject({ message: 'not resumed: its request failed' });
});

describe('a broken download is resumed', () => {
  test.each<Row & { readonly range: string }>([
    { name: 'of a 200', range: 'bytes=5-9' },
    {
      name: 'of a 206 to a range request',
      status: 206,
      range: 'bytes=105-109',
      headers: { range: 'bytes=100-109' },
    },
  ])('$name', async (row) => {
    const first = row.status === 206 ? { ...whole, 'content-range': 'bytes 100-109/200' } : whole;
    const { wire, spy } = await breakAfterFive({ ...row, first });
    expect(wire.attempt(2).options.headers).toEqual({ range: row.range, 'if-match': '"a"' });
    const again = row.status === 206 ? { ...rest, 'content-range': 'bytes 105-109/200' } : rest;
    wire.attempt(2).start().head(103).head(206, again).data('567').data('89').end({ sum: '1' });
    expect(spy.calls).toEqual([
      'start',
      `head ${row.status ?? 200}`,
      'data 01234',
      'data 567',
      'data 89',
      'end {"sum":"1"}',
    ]);
    expect(spy.controllers.size).toBe(1);
    expect(attemptsOf(spy.context)).toMatchObject([
      {
        attempt: 1,
        status: row.status ?? 200,
        failure: 'network',
        code: 'ECONNRESET',
        reason: 'resumed',
      },
      { attempt: 2, status: 206, reason: 'success' },
    ]);
  });

  test.each<[string, object, object]>([
    [
      'a record',
      { Accept: 'a', RANGE: 'bytes=0-', 'x-list': ['1', '2'] },
      { Accept: 'a', 'x-list': ['1', '2'] },
    ],
    ['a flat list', ['Accept', 'a', 'Range', 'bytes=0-', 'If-Range', '"a"'], { Accept: 'a' }],
    [
      'an iterable',
      new Map([
        ['Accept', 'a'],
        ['if-match', '*'],
      ]),
      { Accept: 'a' },
    ],
  ])('with the request’s other headers as they were in %s', async (_, headers, kept) => {
    const { wire } = await breakAfterFive({ headers: headers as Record<string, string> });
    expect(wire.attempt(2).options.headers).toEqual({ ...kept, range: 'bytes=5-9', 'if-match': '"a"' });
  });

  test('from the first byte, if none had arrived', async () => {
    const { wire, spy } = begin();
    wire.attempt(1).start().head(200, whole).fail(broken());
    await nextTurn();
    expect(wire.attempt(2).options.headers).toEqual({ range: 'bytes=0-9', 'if-match': '"a"' });
    const all = { etag: '"a"', 'content-range': 'bytes 0-9/10' };
    wire.attempt(2).start().head(206, all).data('0123456789').end();
    expect(spy.calls).toEqual(['start', 'head 200', 'data 0123456789', 'end {}']);
  });

  test('until as many resumptions as there may be retries bring nothing; then fails with the error that broke it', async () => {
    const { wire, spy } = begin({ maxRetries: 1 });
    wire.attempt(1).start().head(503).end();
    await nextTurn();
    await nextTurn();
    wire.attempt(2).start().head(200, whole).data('01').fail(broken());
    await nextTurn();
    wire.attempt(3).start().head(503, { 'content-length': '2' }).data('no').end();
    await nextTurn();
    await nextTurn();
    const range = { etag: '"a"', 'content-range': 'bytes 2-9/10' };
    const last = broken();
    wire.attempt(4).start().head(206, range).data('23').fail(last);
    await nextTurn();
    expect(wire.attempt(5).options.headers).toMatchObject({ range: 'bytes=4-9' });
    const refused = (): Error => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    wire.attempt(5).start().fail(refused());
    await nextTurn();
    wire.attempt(6).start().fail(refused());
    await nextTurn();
    expect(wire.attempts).toHaveLength(6);
    expect(spy.error).toBe(last);
    expect(spy.calls).toEqual(['start', 'head 200', 'data 01', 'data 23', 'error broken']);
  });

  test('while paused, and the new connection is paused', async () => {
    const { wire, spy } = begin();
    wire.attempt(1).start().head(200, whole).data('01234');
    spy.controller?.pause();
    wire.attempt(1).fail(broken());
    spy.controller?.resume();
    spy.controller?.pause();
    await nextTurn();
    const { connection } = wire.attempt(2).start().head(206, rest);
    expect(connection.calls).toEqual(['pause']);
    spy.controller?.resume();
    expect(connection.calls).toEqual(['pause', 'resume']);
    expect(wire.attempt(1).connection.calls).toEqual(['pause']);
  });

  test('an abort during the wait ends it with the reason of the abort', async () => {
    const { spy } = await breakAfterFive({});
    const reason = new Error('enough');
    spy.controller?.abort(reason);
    expect(spy.error).toBe(reason);
  });

  test('raw headers stay those of the first response', async () => {
    const { wire, spy } = begin();
    wire.attempt(1).connection.rawHeaders = [Buffer.from('first')];
    wire.attempt(1).start().head(200, whole).data('01234').fail(broken());
    await nextTurn();
    wire.attempt(2).connection.rawHeaders = [Buffer.from('second')];
    wire.attempt(2).start().head(206, rest);
    expect(spy.controller?.rawHeaders).toEqual([Buffer.from('first')]);
  });
});

describe('a broken download is not resumed', () => {
  test.each<Row>([
    { name: 'of a HEAD', method: 'HEAD' },
    { name: 'of a 404', status: 404 },
  ])('$name', async (row) => {
    const { wire, spy, error } = await breakAfterFive(row);
    expect(wire.attempts).toHaveLength(1);
    expect(spy.error).toBe(error);
  });

  test('if it was complete', async () => {
    const { wire } = begin();
    wire.attempt(1).start().head(200, whole).data('0123456789').fail(broken());
    await nextTurn();
    expect(wire.attempts).toHaveLength(1);
  });

  test('if it is longer than its Content-Length, as when an interceptor decompresses it', async () => {
    const { wire, spy } = begin();
    wire.attempt(1).start().head(200, whole).data('0123456789a').fail(broken());
    await nextTurn();
    expect(wire.attempts).toHaveLength(1);
    expect(spy.calls).toContain('data 0123456789a');
  });
});

describe('a response that is not the rest is never appended', () => {
  test.each<[string, number, Record<string, string>]>([
    ['the whole body again', 200, whole],
    ['an earlier range', 206, { ...rest, 'content-range': 'bytes 4-8/10' }],
  ])('%s', async (_, status, headers) => {
    const { wire, spy, error } = await breakAfterFive({});
    wire.attempt(2).start().head(status, headers);
    expect(spy.error).toBe(error);
    expect(spy.calls).toEqual(['start', 'head 200', 'data 01234', 'error broken']);
    expect(wire.attempt(2).connection.aborted).toBe(true);
    expect(error.cause).toMatchObject({ message: expect.stringMatching('not resumed: ') });
    expect(attemptsOf(error)).toMatchObject([{ reason: 'resumed' }, { attempt: 2, status }]);
    wire.attempt(2).data('56789').end();
    await nextTurn();
    expect(spy.calls).toHaveLength(4);
    expect(wire.attempts).toHaveLength(2);
  });

  test('more bytes than stated', async () => {
    const { wire, spy } = await breakAfterFive({});
    wire.attempt(2).start().head(206, { etag: '"a"', 'content-range': 'bytes 5-9/*' }).data('567890').end();
    expect(spy.calls.slice(0, -1)).toEqual(['start', 'head 200', 'data 01234']);
    expect(spy.error).toMatchObject({
      code: 'UND_ERR_SOCKET',
      cause: { message: 'not resumed: more than its range' },
    });
  });

  test('fewer bytes than stated: the others are asked for', async () => {
    const { wire, spy } = await breakAfterFive({});
    wire.attempt(2).start().head(206, { etag: '"a"', 'content-range': 'bytes 5-9/*' }).data('5678').end();
    await nextTurn();
    expect(wire.attempt(3).options.headers).toMatchObject({ range: 'bytes=9-9' });
    wire.attempt(3).start().head(206, { etag: '"a"', 'content-range': 'bytes 9-9/10' }).data('9').end();
    expect(spy.calls).toEqual(['start', 'head 200', 'data 01234', 'data 5678', 'data 9', 'end {}']);
  });
});

/** Serves ranges of `body`, and breaks off the first responses, each after a share of the bytes. */
async function ranged(
  body: Buffer,
  breaks: readonly number[],
  headersOf: (number: number) => string = () => '',
): Promise<Upstream & { heads: string[] }> {
  const heads: string[] = [];
  const server = await rawUpstream((socket, head, number) => {
    heads.push(head);
    const [, from = '0', to = String(body.length - 1)] = /range: bytes=(\d+)-(\d+)/i.exec(head) ?? [];
    const part = body.subarray(Number(from), Number(to) + 1);
    const isRange = /range:/i.test(head);
    const status = isRange ? '206 Partial Content' : '200 OK';
    const range = isRange ? `content-range: bytes ${from}-${to}/${body.length}\r\n` : '';
    socket.write(
      `HTTP/1.1 ${status}\r\netag: "a"\r\ncontent-length: ${part.length}\r\n${range}${headersOf(number)}\r\n`,
    );
    const share = breaks[number];
    if (share === undefined) socket.write(part);
    else socket.write(part.subarray(0, share), () => socket.destroy());
  });
  return Object.assign(server, { heads });
}

describe.each(clients.map((client) => [client.name, client] as const))('over sockets, %s', (_, client) => {
  test('a download that breaks three times arrives whole, with or without `Connection: close`', async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, at) => 97 + (at % 26)));
    await using server = await ranged(body, [100_000, 0, 50_000], (number) =>
      number === 1 ? '' : 'connection: close\r\n',
    );
    const agent = new client.undici.Agent();
    const got = await client.send(server.url, agent.compose(resumingInterceptor(soon)));
    expect(got.status).toBe(200);
    expect((await got.text()) === body.toString()).toBe(true);
    expect(server.heads.map((head) => /range: (\S+)/i.exec(head)?.[1])).toEqual([
      undefined,
      'bytes=100000-299999',
      'bytes=100000-299999',
      'bytes=150000-299999',
    ]);
    expect(server.heads[1]).toMatch(/if-match: "a"/);
    await agent.destroy();
  });

  test('a request with a Range, and a compressed body, arrive whole', async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => String(at)).join();
    const body = gzipSync(text);
    await using server = await ranged(body, [1_000], () => 'content-encoding: gzip\r\n');
    const agent = new client.undici.Agent();
    const dispatcher = agent.compose(resumingInterceptor(soon), client.undici.interceptors.decompress());
    const got = await client.send(
      server.url,
      client.isFetch ? agent.compose(resumingInterceptor(soon)) : dispatcher,
    );
    expect(await got.text()).toBe(text);
    await agent.destroy();

    await using slices = await ranged(Buffer.from(text), [10]);
    const other = new client.undici.Agent();
    const headers = { range: 'bytes=1000-1999' };
    const slice = await client.send(slices.url, other.compose(resumingInterceptor(soon)), { headers });
    expect(slice.status).toBe(206);
    expect(await slice.text()).toBe(text.slice(1000, 2000));
    await other.destroy();
  });
});

test.each(Object.entries(versions))(
  '%s: a slow reader of a long body that breaks loses nothing',
  async (_, undici) => {
    const body = Buffer.from(Array.from({ length: 4_000_000 }, (_, at) => (at * 31 + (at >> 9)) % 256));
    await using server = await ranged(body, [1_500_000, 1_000_000]);
    const agent = new undici.Agent();
    const got = await undici.request(server.url, { dispatcher: agent.compose(resumingInterceptor(soon)) });
    const hash = createHash('sha256');
    for await (const chunk of got.body) {
      hash.update(chunk as Buffer);
      // Slower than the server, so each connection is paused often.
      await delay(1);
    }
    expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
    expect(server.heads).toHaveLength(3);
    await agent.destroy();
  },
);
