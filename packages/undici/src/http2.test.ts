import { once } from 'node:events';
import { constants, createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { constant, type EbbEvent, inspectBody } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { ebbInterceptor } from './index.ts';

type Answer = (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void;

const answering =
  (status: number, text: string): Answer =>
  (stream) => {
    stream.respond({ ':status': status });
    stream.end(text);
  };
const refuse: Answer = (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);
const endless: Answer = (stream) => {
  stream.respond({ ':status': 503 });
  stream.write('and so on');
};

/** Gives these answers in turn, and the last of them again. */
async function http2Upstream(...answers: readonly Answer[]) {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  const tokens: unknown[] = [];
  server.on('session', (session) => sessions.add(session.on('error', () => undefined)));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const at = tokens.push(headers['x-token']) - 1;
    answers[Math.min(at, answers.length - 1)]?.(stream, headers);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    tokens,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test.each(Object.entries(versions))(
  'HTTP/2 of %s: all attempts on one connection',
  async (_, { H2CClient }) => {
    await using server = await http2Upstream(answering(503, 'no'), refuse, endless, answering(200, 'ok'));
    const { origin, sessions, tokens } = server;
    const clock = virtualClock({ startMs: 0 });
    // For the 503 that never ends.
    const onEvent = ({ type }: EbbEvent): unknown => type === 'retry' && clock.advance(1_000);
    const client = new H2CClient(origin);
    const dispatcher = client.compose(ebbInterceptor({ backoff: constant(0), clock, onEvent }));
    const got = await dispatcher.request({ origin, path: '/', method: 'PUT', body: 'text' });
    expect([got.statusCode, await got.body.text()]).toEqual([200, 'ok']);
    expect([tokens.length, sessions.size, clock.pending]).toEqual([4, 1, 0]);
    await client.destroy();
  },
);

test.each(Object.entries(versions))('HTTP/2 of %s: inspect and changed headers', async (_, { H2CClient }) => {
  const body = 'x'.repeat(500_000);
  await using server = await http2Upstream(answering(200, 'busy'), answering(200, body));
  const { origin, tokens } = server;
  const client = new H2CClient(origin);
  const inspect = inspectBody(
    async (response) => ((await response.text()) === 'busy' ? { verdict: 'refused' } : undefined),
    { maxBytes: 100 },
  );
  const dispatcher = client.compose(
    ebbInterceptor({
      backoff: constant(0),
      inspect,
      trustedOrigins: () => true,
      beforeAttempt: async ({ attempt }) => ({ 'x-token': `${attempt}` }),
    }),
  );
  const response = await dispatcher.request({ origin, path: '/', method: 'GET' });
  expect([response.statusCode, await response.body.text()]).toEqual([200, body]);
  expect(tokens).toEqual(['1', '2']);
  await client.destroy();
});
