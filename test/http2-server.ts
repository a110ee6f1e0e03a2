import { once } from 'node:events';
import { constants, createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
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

/** Writes frames that node:http2 would not write. */
export type RawAct = (socket: TLSSocket, stream: number) => void;

/** Source: RFC 9113 §4.1 and §6. */
const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
const PING = 6;
const GOAWAY = 7;
const ACK = 1;
const END_STREAM = 1;
const END_HEADERS = 4;
const HEAD_BYTES = 9;
const PREFACE_BYTES = 24;

function frame(
  type: number,
  flags: number,
  stream: number,
  payload: readonly number[] | Buffer = [],
): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** A 200. Its field is number 8 of the static table. Source: RFC 7541, appendix A. */
export const rawAnswer: RawAct = (socket, stream) => {
  socket.write(frame(HEADERS, END_HEADERS, stream, [0x88]));
  socket.write(frame(DATA, END_STREAM, stream, Buffer.from('up')));
};

/** Says that no stream of the connection will be looked at. */
export const goAwayBeforeAll =
  (code: Code): RawAct =>
  (socket) =>
    socket.write(frame(GOAWAY, 0, 0, [0, 0, 0, 0, 0, 0, 0, codeOf(code)]));

/** DATA of the connection itself. */
export const breakProtocol: RawAct = (socket) => socket.write(frame(DATA, 0, 0, [0]));

export async function rawHttp2Server(...acts: readonly RawAct[]): Promise<Http2Server> {
  const sockets = new Set<TLSSocket>();
  let requests = 0;
  const server = createServer({ ...selfSigned(), ALPNProtocols: ['h2'] }, (socket) => {
    let bytes = Buffer.alloc(0);
    let isGreeted = false;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.write(frame(SETTINGS, 0, 0));
    socket.on('data', (part) => {
      bytes = Buffer.concat([bytes, part]);
      if (!isGreeted && bytes.length >= PREFACE_BYTES) {
        bytes = bytes.subarray(PREFACE_BYTES);
        isGreeted = true;
      }
      while (isGreeted && bytes.length >= HEAD_BYTES) {
        const end = HEAD_BYTES + bytes.readUIntBE(0, 3);
        if (bytes.length < end) return;
        const [type, flags] = bytes.subarray(3, 5);
        const payload = bytes.subarray(HEAD_BYTES, end);
        const stream = bytes.readUInt32BE(5);
        bytes = bytes.subarray(end);
        if ((type === SETTINGS || type === PING) && flags === 0)
          socket.write(frame(type, ACK, 0, type === PING ? payload : []));
        if (type !== HEADERS) continue;
        const act = acts[requests] ?? rawAnswer;
        requests += 1;
        act(socket, stream);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
