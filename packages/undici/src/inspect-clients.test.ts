import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { constant, type Inspect, inspectBody, type PolicyOptions } from '@ebb/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clients, versions } from '../test/clients.ts';
import { upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const inspect: Inspect = async (response) => {
  const type = response.header('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    return (await response.firstEvent())?.event === 'error' ? { verdict: 'refused' } : undefined;
  }
  if (!type.startsWith('application/json')) return undefined;
  const body = (await response.json()) as { error?: unknown } | undefined;
  return body?.error === undefined ? undefined : { verdict: 'transient' };
};

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };
const gzipped = { 'content-encoding': 'gzip' };
const overloaded = 'event: error\ndata: {"type":"overloaded"}\n\n';

/** An agent whose responses are looked at, which is closed with the test. */
function inspecting({ Agent }: (typeof versions)[string], options: PolicyOptions = {}) {
  const agent = new Agent({ connections: 1 });
  onTestFinished(() => agent.destroy());
  const policy = { backoff: constant(0), inspect: inspectBody(inspect), ...options };
  return { agent, dispatcher: agent.compose(ebbInterceptor(policy)) };
}

describe.each(clients)('inspect with $name', (client) => {
  test.each<[string, Record<string, string>, Buffer]>([
    ['an error in a 200, with gzip', { ...json, ...gzipped }, gzipSync('{"error":"busy"}')],
    ['an event stream that begins with an error, with gzip', { ...events, ...gzipped }, gzipSync(overloaded)],
  ])('%s is sent again, on the same connection', async (_, headers, body) => {
    await using server = await upstream((response, _seen, number) => {
      if (number < 2) response.writeHead(200, headers).end(body);
      else response.writeHead(200, json).end('{"ok":true}');
    });
    const { dispatcher } = inspecting(client.undici);
    expect(await (await client.send(server.url, dispatcher)).text()).toBe('{"ok":true}');
    expect([server.seen.length, server.connections()]).toEqual([3, 1]);
  });

  test('a long body that inspect reads in part arrives whole', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(2_000_000) });
    await using server = await upstream((response) => response.writeHead(200, json).end(body));
    const { dispatcher } = inspecting(client.undici, {
      inspect: inspectBody(inspect, { maxBytes: 1_000 }),
    });
    expect(await (await client.send(server.url, dispatcher)).text()).toBe(body);
  });
});

describe.each(Object.entries(versions))('inspect with streams of %s', (_, undici) => {
  const { request } = undici;

  test.each(['plain', 'gzip'])(
    '%s: the first event reaches the reader before the second is sent',
    async (coding) => {
      const read = Promise.withResolvers<void>();
      await using server = await upstream((response) => {
        const encoder = coding === 'gzip' ? createGzip() : undefined;
        response.writeHead(200, { ...events, ...(encoder && gzipped) });
        encoder?.pipe(response);
        const target = encoder ?? response;
        target.write('event: ping\n\n');
        target.write('data: 1\n\n');
        encoder?.flush();
        void read.promise.then(() => target.end('data: 2\n\n'));
      });
      const { dispatcher } = inspecting(undici, { inspect: inspectBody(inspect, { timeoutMs: 30_000 }) });
      const { body } = await request(server.url, { dispatcher });
      const parts: Buffer[] = [];
      for await (const part of body) {
        parts.push(part as Buffer);
        read.resolve();
      }
      const { length } = Buffer.concat(parts);
      expect([length > 0, parts.length > 1]).toEqual([true, true]);
    },
  );

  test('a slow reader holds the server back, as without inspect', async () => {
    let sent = 0;
    await using server = await upstream((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const part = Buffer.alloc(100_000, ' ');
      const write = (): void => {
        while (sent < 1_000 && response.writable) {
          sent += 1;
          if (!response.write(part)) {
            response.once('drain', write);
            return;
          }
        }
        response.end();
      };
      write();
    });
    const { dispatcher } = inspecting(undici);
    const { body } = await request(server.url, { dispatcher });
    await delay(200);
    const sentUnread = sent;
    let bytes = 0;
    for await (const part of body) bytes += (part as Buffer).byteLength;
    expect(bytes).toBe(100_000_000);
    // What kernels buffer differs, but it is far from everything.
    expect(sentUnread).toBeLessThan(500);
  });

  test('a dispatcher that is destroyed while a response is held ends the request', async () => {
    await using server = await upstream((response) => response.writeHead(200, json).write('{'));
    const held = Promise.withResolvers<void>();
    const { agent, dispatcher } = inspecting(undici, {
      inspect: inspectBody(async (response) => {
        held.resolve();
        await response.text();
        return undefined;
      }),
    });
    const sent = request(server.url, { dispatcher }).then(({ body }) => body.text());
    await held.promise;
    const destroyed = agent.destroy();
    await expect(sent).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' });
    await destroyed;
  });

  test('close waits for a response that is held', async () => {
    await using server = await upstream((response) => response.writeHead(200, json).end('{}'));
    const held = Promise.withResolvers<void>();
    const judge = Promise.withResolvers<undefined>();
    const { agent, dispatcher } = inspecting(undici, {
      inspect: inspectBody(() => {
        held.resolve();
        return judge.promise;
      }),
    });
    const sent = request(server.url, { dispatcher }).then(({ body }) => body.text());
    await held.promise;
    const closed = agent.close();
    judge.resolve(undefined);
    expect(await sent).toBe('{}');
    await closed;
  });
});

describe.each(Object.entries(versions))('inspect of %s', (_, undici) => {
  const { MockAgent, interceptors, request } = undici;

  const busyOnce = () =>
    upstream((response, { path }, number) => {
      if (path === '/moved') response.writeHead(302, { location: '/' }).end('moved');
      else response.writeHead(200, json).end(number < 2 ? '{"error":"busy"}' : '{"ok":true}');
    });

  test('with stream and pipeline', async () => {
    for (const way of ['stream', 'pipeline'] as const) {
      await using server = await busyOnce();
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
      else
        await finished(
          dispatcher
            .pipeline(target, ({ body }) => body)
            .end()
            .pipe(sink()),
        );
      expect([way, Buffer.concat(parts).toString(), server.seen.length]).toEqual([way, '{"ok":true}', 3]);
    }
  });

  test.each(['above', 'below'])('with redirects %s', async (place) => {
    await using server = await busyOnce();
    const agent = new undici.Agent();
    onTestFinished(() => agent.destroy());
    const seen: number[] = [];
    const own = ebbInterceptor({
      backoff: constant(0),
      inspect: inspectBody((response) => {
        seen.push(response.status);
        return inspect(response);
      }),
    });
    const redirect = interceptors.redirect({ maxRedirections: 3 });
    const dispatcher = place === 'above' ? agent.compose(own, redirect) : agent.compose(redirect, own);
    const { body } = await request(new URL('/moved', server.url), { dispatcher });
    expect(await body.text()).toBe('{"ok":true}');
    expect(seen).toEqual(place === 'above' ? [302, 200, 200] : [200, 200]);
  });

  test('with a MockAgent', async () => {
    const mock = new MockAgent();
    const pool = mock.get('http://mocked.test');
    for (const data of ['{"error":"busy"}', '{"ok":true}']) {
      pool.intercept({ path: '/' }).reply(200, data, { headers: json });
    }
    const dispatcher = mock.compose(ebbInterceptor({ backoff: constant(0), inspect: inspectBody(inspect) }));
    const { body } = await request('http://mocked.test/', { dispatcher });
    expect(await body.text()).toBe('{"ok":true}');
    await mock.close();
  });
});
