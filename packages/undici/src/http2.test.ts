import { once } from 'node:events';
import { constants, createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { constant, type EbbEvent, inspectBody } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { resumingInterceptor } from '../test/relay.ts';
import { ebbInterceptor } from './index.ts';

type Answer = (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void;

async function http2Upstream(...answers: readonly Answer[]) {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  let streams = 0;
  server.on('session', (session) => sessions.add(session.on('error', () => undefined)));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const answer = answers[streams];
    streams += 1;
    if (answer !== undefined) answer(stream, headers);
    else up(stream, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const down: Answer = (stream) => {
  stream.respond({ ':status': 503 });
  stream.end('no');
};
const up: Answer = (stream) => {
  stream.respond({ ':status': 200 });
  stream.end('ok');
};
const refuse: Answer = (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);

test.each(Object.entries(versions))('HTTP/2 of %s', async (_, { H2CClient }) => {
  const ranges: unknown[] = [];
  const half = Promise.withResolvers<void>();
  await using server = await http2Upstream(
    down,
    refuse,
    async (stream) => {
      stream.respond({ ':status': 200, etag: '"a"', 'content-length': '10' });
      stream.write('01234');
      await half.promise;
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    },
    (stream, headers) => {
      ranges.push(headers.range, headers['if-match']);
      stream.respond({ ':status': 206, etag: '"a"', 'content-range': 'bytes 5-9/10' });
      stream.end('56789');
    },
    (stream) => {
      stream.respond({ ':status': 503 });
      stream.write('and so on');
    },
  );
  const clock = virtualClock({ startMs: 0 });
  const onEvent = ({ type, request }: EbbEvent): void => {
    // The 503 that never ends.
    if (type === 'retry' && request.method === 'PUT') void clock.advance(1_000);
  };
  const { origin } = server;
  const dispatcher = new H2CClient(origin).compose(
    resumingInterceptor({ backoff: constant(0), clock, onEvent }),
  );
  const broken = await dispatcher.request({ origin, path: '/', method: 'GET' });
  let read = '';
  for await (const part of broken.body) {
    read += part;
    half.resolve();
  }
  expect([broken.statusCode, read]).toEqual([200, '0123456789']);
  expect(ranges).toEqual(['bytes=5-9', '"a"']);
  const endless = await dispatcher.request({ origin, path: '/', method: 'PUT', body: 'text' });
  expect([endless.statusCode, await endless.body.text()]).toEqual([200, 'ok']);
  expect(server.sessions.size).toBe(1);
  expect(clock.pending).toBe(0);
  await dispatcher.destroy();
});

test.each(Object.entries(versions))('HTTP/2 of %s: inspect and changed headers', async (_, { H2CClient }) => {
  const tokens: unknown[] = [];
  const body = 'x'.repeat(500_000);
  const answer =
    (text: string): Answer =>
    (stream, headers) => {
      tokens.push(headers['x-token']);
      stream.respond({ ':status': 200 });
      stream.end(text);
    };
  await using server = await http2Upstream(answer('busy'), answer(body));
  const client = new H2CClient(server.origin);
  const dispatcher = client.compose(
    ebbInterceptor({
      backoff: constant(0),
      inspect: inspectBody(
        async (response) => ((await response.text()) === 'busy' ? { verdict: 'refused' } : undefined),
        { maxBytes: 100 },
      ),
      trustedOrigins: () => true,
      beforeAttempt: async ({ attempt }) => ({ 'x-token': `${attempt}` }),
    }),
  );
  const response = await dispatcher.request({ origin: server.origin, path: '/', method: 'GET' });
  expect([response.statusCode, await response.body.text()]).toEqual([200, body]);
  expect(tokens).toEqual(['1', '2']);
  await client.destroy();
});
