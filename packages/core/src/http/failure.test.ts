import { expect, test } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { failureKind } from './failure.ts';
import type { FailureKind } from './outcome.ts';

function coded(code: string, message = 'x', rest: object = {}): Error {
  return Object.assign(new Error(message), { code, ...rest });
}

/** Deno's error for a request that could not be sent. */
function denied(detail: string): Error {
  return failed(new Error(`error sending request for url (https://api.example.com/a(b)): ${detail}`));
}

/** The error of `fetch` around another one. */
function failed(cause: unknown): Error {
  return new TypeError('fetch failed', { cause });
}

/** The error of axios around another one. */
function ofAxios(cause: unknown): Error {
  return coded('ERR_NETWORK', 'Network Error', { cause });
}

const group = (...errors: unknown[]): Error => new AggregateError(errors);

/** Node's error for a stream of HTTP/2 that was closed. */
function http2Stream(code: string): Error {
  return coded('ERR_HTTP2_STREAM_ERROR', `Stream closed with error code ${code}`);
}

function ring(error: Error = new TypeError('fetch failed')): Error {
  error.cause = error;
  return error;
}

/** An error in so many others. */
function within(depth: number, error: Error): Error {
  return depth === 0 ? error : new TypeError('x', { cause: within(depth - 1, error) });
}

/** Named as the function of undici from 8.2 on that makes it. */
function getGoAwayError(message: string): Error {
  return coded('UND_ERR_SOCKET', message);
}

const tunnel = (status: number): string => `Proxy response (${status}) !== 200 when HTTP Tunneling`;
const timedOut = 'Connection timed out (os error 110)';
const connecting = { syscall: 'connect' };
const GOAWAY = 'HTTP/2: "GOAWAY" frame received with code 0';

type Row = [what: string, error: unknown, kind: FailureKind];

const ROWS: Row[] = [
  ['Node, ETIMEDOUT while connecting', coded('ETIMEDOUT', 'x', connecting), 'connect'],
  ['Node, no route while connecting', coded('EHOSTUNREACH', 'x', connecting), 'connect'],
  ['HTTP/2, stream refused', http2Stream('NGHTTP2_REFUSED_STREAM'), 'connect'],
  [
    'happy eyeballs, all refused',
    Object.assign(new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT', '', connecting)]), {
      code: 'ETIMEDOUT',
    }),
    'connect',
  ],
  ['Node, DNS down', coded('EAI_AGAIN'), 'connect'],
  ['Node, another failure of DNS', coded('EAI_FAIL', 'x', { syscall: 'getaddrinfo' }), 'connect'],
  ['Node, no route later', coded('EHOSTUNREACH', 'x', { syscall: 'read' }), 'network'],
  [
    'Deno, a certificate',
    denied('client error (Connect): invalid peer certificate: UnknownIssuer'),
    'unknown',
  ],
  ['Deno, redirected in a ring', denied('error following redirect: too many redirects'), 'unknown'],
  ['Node, refused', failed(coded('ECONNREFUSED')), 'connect'],
  ['Node, no such name', failed(coded('ENOTFOUND')), 'connect'],
  ['a group of two', group(coded('ECONNREFUSED'), coded('ECONNRESET')), 'network'],
  ['a group in a cause', failed(group(coded('ECONNREFUSED'))), 'connect'],
  ['axios, a refusal', coded('ETIMEDOUT', '', { cause: group(coded('ECONNREFUSED')) }), 'connect'],
  ['Node, reset', failed(coded('ECONNRESET')), 'network'],
  ['axios, its timeout', coded('ECONNABORTED', 'timeout of 100ms exceeded'), 'timeout'],
  ['a reset of a server whose name has the word', coded('ECONNRESET', 'timeout.test'), 'network'],
  ['a refusal after a reset', coded('ECONNREFUSED', 'x', { cause: coded('ECONNRESET') }), 'connect'],
  ['a reset with null as its cause', coded('ECONNRESET', 'x', { cause: null }), 'network'],
  ['a function', Object.assign(() => undefined, { code: 'ECONNRESET' }), 'unknown'],
  ['a ring of errors with a code', ring(coded('ECONNRESET')), 'network'],
  ['a deep cause', within(8, coded('ECONNREFUSED')), 'connect'],
  ['a deeper one', within(9, coded('ECONNREFUSED')), 'unknown'],
  ['axios, aborted by the browser', coded('ECONNABORTED', 'Request aborted'), 'network'],
  ['axios, XHR', coded('ERR_NETWORK', 'Network Error'), 'network'],
  ['axios around a browser', ofAxios(new TypeError('Failed to fetch')), 'network'],
  ['axios around a reset', ofAxios(coded('ECONNRESET')), 'network'],
  ['axios around a wrong scheme', ofAxios(new Error('unknown scheme')), 'unknown'],
  ['axios around a certificate', ofAxios(coded('CERT_HAS_EXPIRED')), 'unknown'],
  ['axios, cancelled', coded('ERR_CANCELED', 'canceled'), 'aborted'],
  ['Deno, no such file', new Error('No such file or directory (os error 2)'), 'unknown'],
  ['a message that names the network', new TypeError("cannot read 'network'"), 'unknown'],
  ['a timeout signal', new DOMException('x', 'TimeoutError'), 'timeout'],
  ['an abort', new DOMException('x', 'AbortError'), 'aborted'],
  [
    'an abort with a cause',
    Object.assign(new DOMException('x', 'AbortError'), { cause: coded('EPIPE') }),
    'aborted',
  ],
  ['a wrong scheme', failed(new Error('unknown scheme')), 'unknown'],
  ['a wrong URL', coded('ERR_INVALID_URL', 'Invalid URL'), 'unknown'],
  ['a certificate', failed(coded('CERT_HAS_EXPIRED')), 'unknown'],
  ['a programming error', new TypeError("Cannot read properties of undefined (reading 'x')"), 'unknown'],
  ['an error that is its own cause', ring(), 'unknown'],
  ['Node, a redirect that is an error', failed(new Error('unexpected redirect')), 'unknown'],
  ['a mock of nock', new TypeError('Failed to fetch', { cause: 'unexpected redirect' }), 'unknown'],
  ['axios around it', ofAxios(new TypeError('Failed to fetch', { cause: 'unexpected redirect' })), 'unknown'],
  ['a cause that is a code', failed('ECONNREFUSED'), 'connect'],
  ['a code around a cause that is a string', coded('ECONNRESET', 'x', { cause: 'why' }), 'network'],
  ['a string', 'fetch failed', 'unknown'],
  ['nothing', undefined, 'unknown'],
];

/** Errors of Node, undici, Bun, Deno and workers, which are not known in browsers. */
const NODE_ROWS: Row[] = [
  ['undici, connect timeout', coded('UND_ERR_CONNECT_TIMEOUT'), 'connect'],
  ['HTTP/2, stream broken', http2Stream('NGHTTP2_CANCEL'), 'network'],
  ['HTTP/2, broken by the server', coded('ERR_HTTP2_ERROR', 'Protocol error'), 'network'],
  ['HTTP/2, a lost session', coded('ERR_HTTP2_INVALID_SESSION', 'The session has been destroyed'), 'network'],
  ['undici, no headers in time', coded('UND_ERR_HEADERS_TIMEOUT'), 'timeout'],
  ['Bun, refused', coded('ConnectionRefused'), 'connect'],
  ['Deno', new TypeError('error sending request for url (https://api.example.com/)'), 'network'],
  [
    'Deno 1, refused',
    denied('error trying to connect: tcp connect error: Connection refused (os error 111)'),
    'connect',
  ],
  ['Deno on macOS, reset', new Error('Connection reset by peer (os error 54)'), 'network'],
  [
    'Deno on Windows, reset',
    denied(
      'client error (SendRequest): connection error: Eine vorhandene Verbindung wurde geschlossen. (os error 10054)',
    ),
    'network',
  ],
  ['Deno, connecting', denied(`client error (Connect): tcp connect error: ${timedOut}`), 'connect'],
  ['Deno, later', denied(`client error (SendRequest): connection error: ${timedOut}`), 'timeout'],
  ['Deno, no handshake', denied('client error (Connect): tls handshake eof'), 'network'],
  ['Deno, broken in the body', new TypeError('error reading a body from connection'), 'network'],
  [
    'Deno, stream refused',
    denied(
      'client error (SendRequest): http2 error: stream error received: refused stream before processing any application logic',
    ),
    'connect',
  ],
  ['a cause that is a message of Node', failed('socket hang up'), 'network'],
  ['a group of strings', new AggregateError(['ECONNREFUSED', 'socket hang up']), 'network'],
  ['undici, socket closed', coded('UND_ERR_SOCKET', 'other side closed'), 'network'],
  ['fetch, body broken off', new TypeError('terminated', { cause: coded('UND_ERR_SOCKET') }), 'network'],
  ['a mock of a browser', new TypeError('Failed to fetch'), 'network'],
  ['Bun', new TypeError(' A network error occurred.'), 'network'],
  ['Workers', new Error('Network connection lost.'), 'network'],
  ['msw, below axios', new TypeError('Network error'), 'network'],
  ['MSW, a mocked network error', new TypeError('Failed to fetch', { cause: Response.error() }), 'network'],
  ['a cause that is an empty string', failed(''), 'network'],
  ['undici 8, GOAWAY, an error', getGoAwayError('HTTP/2: "GOAWAY" frame received with code 11'), 'connect'],
  ['fetch, GOAWAY before the stream', failed(coded('UND_ERR_INFO', GOAWAY)), 'connect'],
  [
    'undici, a header that Node refuses',
    coded('UND_ERR_INFO', 'HTTP/1 Connection specific headers are forbidden: "http2-settings"', {
      cause: coded('ERR_HTTP2_INVALID_CONNECTION_HEADERS'),
    }),
    'unknown',
  ],
  [
    'fetch, a proxy that refuses a tunnel',
    failed(
      new DOMException('Request was cancelled.', {
        cause: coded('UND_ERR_ABORTED', tunnel(407)),
      } as never),
    ),
    'connect',
  ],
  ['undici 8, a SOCKS proxy with a password', coded('UND_ERR_SOCKS5_AUTH_FAILED'), 'unknown'],
  ['undici, an abort', coded('UND_ERR_ABORTED', 'Request aborted'), 'aborted'],
];

/** The texts of browsers are not known: fetch takes any `TypeError` of a correct request for a lost connection. */
const BROWSER_ROWS: Row[] = [
  ['Chrome, with its host', new TypeError('Failed to fetch (api.example.com)'), 'unknown'],
  ['Firefox', new TypeError('NetworkError when attempting to fetch resource.'), 'unknown'],
  ['Safari', new TypeError('Load failed'), 'unknown'],
  ['React Native', new TypeError('Network request failed'), 'unknown'],
  ['axios around Safari', ofAxios(new TypeError('Load failed')), 'network'],
];

const isWeb = process.env.EBB_PLATFORM === 'web';

test.each([...ROWS, ...BROWSER_ROWS, ...(isWeb ? [] : NODE_ROWS)])('%s', (_, error, kind) => {
  expect(failureKind(error)).toBe(kind);
});

const READ = ['name', 'message', 'code', 'syscall', 'cause', 'errors'];

/** A refused connection with a property whose getter throws. */
function guarded(name: string): Error {
  return Object.defineProperty(coded('ECONNREFUSED'), name, { get: throwing() });
}

test.each(READ)('an error whose %s getter throws is judged by its other properties', (name) => {
  const kind = name === 'code' ? 'unknown' : 'connect';
  const errors = [guarded(name), failed(guarded(name)), group(guarded(name))];
  expect(errors.map(failureKind)).toEqual([kind, kind, kind]);
});

test('an error all of whose getters throw is unknown', () => {
  const trap = throwing(new Error('trapped'));
  const handler = {
    get: trap,
    has: trap,
    getPrototypeOf: trap,
    ownKeys: trap,
    getOwnPropertyDescriptor: trap,
  };
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  const list = new Proxy([1], { get: trap });
  const broken = new Proxy(new Error('x'), handler);
  for (const error of [broken, proxy, { errors: proxy }, { errors: list }, { cause: proxy }]) {
    expect(failureKind(error)).toBe('unknown');
  }
  expect(failureKind({ code: 'ECONNABORTED', message: { toString: trap } })).toBe('network');
});
