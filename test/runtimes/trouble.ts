import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { refusingUrl } from '../refusing.ts';
import { selfSigned } from './certificate.ts';
import type { Troubles } from './situations.ts';

/** What a server does with a connection after the header of a request. */
type Act = (socket: Socket, header: string) => void;

const head = (status: string, ...headers: readonly string[]): string =>
  [`HTTP/1.1 ${status}`, 'access-control-allow-origin: *', ...headers, '', ''].join('\r\n');

/** Writes a text, and does the rest 10 ms later, when the text has arrived. */
function say(text: string, rest: Act): Act {
  return (socket) => socket.write(text, () => setTimeout(rest, 10, socket));
}

const reset: Act = (socket) => socket.resetAndDestroy();
const close: Act = (socket) => socket.end();
const stay: Act = () => undefined;
const half = `${head('200 OK', 'content-length: 10')}12345`;
const halfChunked = `${head('200 OK', 'transfer-encoding: chunked')}5\r\n12345\r\n`;

const ACTS: Readonly<Record<Exclude<keyof Troubles, 'refused' | 'certificate'>, Act>> = {
  reset,
  closed: close,
  halfReset: say(half, reset),
  halfClosed: say(half, close),
  halfChunked: say(halfChunked, close),
  silent: stay,
  halfSilent: say(half, stay),
  notHttp: say('220 mail.example.com ESMTP\r\n', close),
  // A preflight has no body.
  ended: (socket, header) => {
    const end = (bytes: string): void => {
      if (header.startsWith('OPTIONS') || bytes.endsWith('0\r\n\r\n')) socket.end();
    };
    end(header);
    socket.on('data', (bytes) => end(bytes.toString('latin1')));
  },
  // A TLS handshake contains no end of a header, so this server acts on the first bytes.
  noTls: close,
  redirected: say(head('302 Found', 'location: /', 'content-length: 0'), stay),
  notGzip: say(`${head('200 OK', 'content-encoding: gzip', 'content-length: 5')}12345`, stay),
};

function afterHeader(act: Act, isTls: boolean): (socket: Socket) => void {
  return (socket) => {
    let seen = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      seen += bytes.toString('latin1');
      if (!isTls && !seen.includes('\r\n\r\n')) return;
      const header = seen;
      seen = '';
      act(socket, header);
    });
  };
}

/** Servers on loopback that each fail in one way. */
export async function troubles(): Promise<Troubles & AsyncDisposable> {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const listen = async (server: Server, scheme = 'http'): Promise<string> => {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  const urls = Object.entries(ACTS).map(async ([name, act]) => {
    const isTls = name === 'noTls';
    return [name, await listen(createServer(afterHeader(act, isTls)), isTls ? 'https' : 'http')];
  });
  const secret = createTlsServer(selfSigned());
  secret.on('tlsClientError', () => undefined);
  const certificate = await listen(secret, 'https');
  return {
    ...(Object.fromEntries(await Promise.all(urls)) as Record<keyof typeof ACTS, string>),
    refused: await refusingUrl(),
    certificate,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => server.listening && once(server.close(), 'close')));
    },
  };
}
