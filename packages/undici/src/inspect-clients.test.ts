import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { constant, type Inspect, inspectBody } from '@ebb/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/until.ts';
import { clients, versions } from '../test/clients.ts';
import { errorInBody, errorInFirstEvent } from '../test/inspect.ts';
import { upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const gzipped = { 'content-encoding': 'gzip' };

const look: Inspect = (response) =>
  response.header('content-type') === 'text/event-stream'
    ? errorInFirstEvent(response)
    : errorInBody(response);

/** An agent whose responses are looked at, which is closed with the test. */
function inspecting(
  { Agent }: (typeof versions)[string],
  inspect: Inspect = look,
  options: Parameters<typeof inspectBody>[1] = {},
) {
  const agent = new Agent({ connections: 1 });
  onTestFinished(() => agent.destroy());
  const interceptor = ebbInterceptor({
    backoff: constant(0),
    inspect: inspectBody(inspect, { timeoutMs: 30_000, ...options }),
  });
  return { agent, interceptor, dispatcher: agent.compose(interceptor) };
}

/** Is busy twice. */
const busy = (headers: object = json, body: string | Buffer = '{"error":"busy"}') =>
  upstream((response, { path }, number) => {
    if (path === '/moved') response.writeHead(302, { location: '/' }).end('moved');
    else if (number < 2) response.writeHead(200, { ...headers }).end(body);
    else response.writeHead(200, json).end('{"ok":true}');
  });

describe.each(clients)('inspect with $name', (client) => {
  test.each<[string, Record<string, string>, string]>([
    ['an error in a 200', json, '{"error":"busy"}'],
    ['an event stream that begins with an error', events, 'event: error\ndata: {"type":"overloaded"}\n\n'],
  ])('%s, with gzip, is sent again, on the same connection', async (_, headers, body) => {
    await using server = await busy({ ...headers, ...gzipped }, gzipSync(body));
    const { dispatcher } = inspecting(client.undici);
    expect(await (await client.send(server.url, dispatcher)).text()).toBe('{"ok":true}');
    expect([server.seen.length, server.connections()]).toEqual([3, 1]);
  });

  test('a long body that inspect reads in part arrives whole', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(2_000_000) });
    await using server = await upstream((response) => response.writeHead(200, json).end(body));
    const { dispatcher } = inspecting(client.undici, look, { maxBytes: 1_000 });
    expect(await (await client.send(server.url, dispatcher)).text()).toBe(body);
  });
});

describe.each(Object.entries(versions))('inspect of %s', (_, undici) => {
  const { interceptors, request } = undici;

  test.each(['plain', 'gzip'])('%s: the first event reaches the reader before the second', async (coding) => {
    const read = Promise.withResolvers<void>();
    await using server = await upstream((response) => {
      const encoder = coding === 'gzip' ? createGzip() : undefined;
      response.writeHead(200, { ...events, ...(encoder && gzipped) });
      encoder?.pipe(response);
      const target = encoder ?? response;
      target.write('event: ping\n\ndata: 1\n\n');
      encoder?.flush();
      void read.promise.then(() => target.end('data: 2\n\n'));
    });
    const { dispatcher } = inspecting(undici);
    const { body } = await request(server.url, { dispatcher });
    let parts = 0;
    for await (const _part of body) {
      parts += 1;
      read.resolve();
    }
    expect(parts).toBeGreaterThan(1);
  });

  test('a slow reader holds the server back, as without inspect', async () => {
    let [sent, isHeldBack] = [0, false];
    await using server = await upstream((response) => {
      response.writeHead(200, json);
      const part = Buffer.alloc(100_000, ' ');
      const write = (): void => {
        for (isHeldBack = false; sent < 1_000 && !isHeldBack; sent += 1) isHeldBack = !response.write(part);
        if (isHeldBack) response.once('drain', write);
        else response.end();
      };
      write();
    });
    const { dispatcher } = inspecting(undici);
    const { body } = await request(server.url, { dispatcher });
    // What kernels buffer differs, but it is far from everything.
    let before = -1;
    await until(() => {
      const isStill = isHeldBack && sent === before;
      before = sent;
      return isStill;
    });
    expect(sent).toBeLessThan(500);
    let bytes = 0;
    for await (const part of body) bytes += (part as Buffer).byteLength;
    expect(bytes).toBe(100_000_000);
  });

  test.each(['close', 'destroy'] as const)('%s of an agent with a response that is held', async (end) => {
    const [held, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using server = await upstream((response) => {
      response.writeHead(200, json).write('{');
      void closing.promise.then(() => response.end('}'));
    });
    const { agent, dispatcher } = inspecting(undici, async (response) => {
      held.resolve();
      await response.text();
      return undefined;
    });
    const sent = request(server.url, { dispatcher }).then(({ body }) => body.text());
    await held.promise;
    const ended = agent[end]();
    if (end === 'close') {
      closing.resolve();
      expect(await sent).toBe('{}');
    } else await expect(sent).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' });
    await ended;
  });

  test.each(['stream', 'pipeline'])('with %s', async (way) => {
    await using server = await busy();
    const { dispatcher } = inspecting(undici);
    const parts: Buffer[] = [];
    const sink = (): Writable =>
      new Writable({
        highWaterMark: 1,
        write(part: Buffer, _encoding, done) {
          parts.push(part);
          setImmediate(done);
        },
      });
    const target = { origin: new URL(server.url).origin, path: '/', method: 'GET' } as const;
    if (way === 'stream') await dispatcher.stream(target, sink);
    else {
      const through = dispatcher.pipeline(target, ({ body }) => body).end();
      await finished(through.pipe(sink()));
    }
    expect([Buffer.concat(parts).toString(), server.seen.length]).toEqual(['{"ok":true}', 3]);
  });

  test.each(['above', 'below'])('with redirects %s', async (place) => {
    await using server = await busy();
    const seen: number[] = [];
    const { agent, interceptor } = inspecting(undici, (response) => {
      seen.push(response.status);
      return look(response);
    });
    const redirect = interceptors.redirect({ maxRedirections: 3 });
    const chain = place === 'above' ? [interceptor, redirect] : [redirect, interceptor];
    const { body } = await request(new URL('/moved', server.url), { dispatcher: agent.compose(...chain) });
    expect(await body.text()).toBe('{"ok":true}');
    expect(seen).toEqual(place === 'above' ? [302, 200, 200] : [200, 200]);
  });
});
