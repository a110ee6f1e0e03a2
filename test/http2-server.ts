import { once } from 'node:events';
import { constants, createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { selfSigned } from './runtimes/certificate.ts';

// HTTP/2 servers over TLS, whose certificate no one trusts. They do some acts in turn, one for each request, and answer what comes after.

export interface Http2Server extends AsyncDisposable {
  readonly url: string;
  /** How many requests came. */
  readonly requests: () => number;
}

type Code = keyof typeof constants;
const codeOf = (code: Code): number => constants[code] as number;

/** Answers a stream, or does something else with it. */
export type Act = (stream: ServerHttp2Stream, session: ServerHttp2Session) => void;

/** A response. */
export const answer =
  (status = 200): Act =>
  (stream) => {
    stream.respond({ ':status': status });
    stream.end('up');
  };

/** Resets the stream. */
export const reset =
  (code: Code): Act =>
  (stream) =>
    stream.close(codeOf(code));

/** Says that the stream before this one is the last. */
export const goAwayBefore =
  (code: Code): Act =>
  (stream, session) =>
    session.goaway(codeOf(code), (stream.id as number) - 2);

/** Says that this stream is the last, and ends the connection. */
export const goAwayAfter =
  (code: Code): Act =>
  (stream, session) => {
    session.goaway(codeOf(code), stream.id);
    setImmediate(() => session.destroy());
  };

/** Ends the connection. */
export const breakOff: Act = (_, session) => session.destroy();

export async function http2Server(...acts: readonly Act[]): Promise<Http2Server> {
  const server = createSecureServer(selfSigned());
  const sessions = new Set<ServerHttp2Session>();
  let requests = 0;
  server.on('sessionError', () => undefined);
  server.on('session', (session) => sessions.add(session.on('error', () => undefined)));
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    const act = acts[requests] ?? answer();
    requests += 1;
    act(stream, stream.session as ServerHttp2Session);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
