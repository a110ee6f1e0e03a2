import { property } from '../base/property.ts';

/** A `FailureKind` that is known. */
type KnownKind = 'connect' | 'network' | 'timeout' | 'aborted';

/**
 * Error codes of Node, undici, Bun and axios, and the names of errors without one. Every other code is `unknown`, such as those of certificate and parse
 * errors, which a retry does not fix.
 */
export const CODES: Readonly<Record<KnownKind, string>> = {
  // Nothing was sent: no address, or no connection.
  connect: 'ECONNREFUSED ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT ConnectionRefused FailedToOpenSocket',
  // The connection broke, possibly after the server has carried out the request.
  network:
    'ECONNRESET ECONNABORTED EPIPE ENETDOWN ENETUNREACH ENETRESET EHOSTDOWN EHOSTUNREACH UND_ERR_SOCKET ' +
    'ERR_NETWORK ERR_STREAM_PREMATURE_CLOSE ERR_HTTP2_STREAM_ERROR ERR_HTTP2_SESSION_ERROR ' +
    'ERR_HTTP2_GOAWAY_SESSION ConnectionClosed',
  // No response in time.
  timeout: 'ETIMEDOUT ESOCKETTIMEDOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT Timeout TimeoutError',
  // Aborted by the caller.
  aborted: 'ABORT_ERR UND_ERR_ABORTED ERR_CANCELED AbortError',
};

/**
 * Messages of failures that have no code, by runtime. The first match applies. The last three rows are Deno's: its messages
 * are the chain of errors of its HTTP library (hyper), namely the request, the phase and the cause.
 */
const MESSAGES: readonly (readonly [KnownKind, RegExp])[] = [
  // Browsers, Bun, workers, React Native and undici. Some append the host in brackets.
  [
    'network',
    /^(fetch failed|failed to fetch\.?|error in (?:body|input) stream|networkerror when attempting to fetch resource\.?|load failed|\s*a network error occurred\.?|network request failed|network connection lost\.?|network error|terminated|socket hang up|other side closed)( \(.*\))?\s*$/is,
  ],
  // Safari, whose messages are those of the system's URL loading.
  [
    'network',
    /^(the internet connection appears to be offline|the network connection was lost|could not connect to the server|a server with the specified hostname could not be found)\.?$/i,
  ],
  ['timeout', /^(network request timed out|the request timed out)\.?$/i],
  // Nothing was sent: no address, no connection, or a stream that the server refused before processing.
  ['connect', /\b(tcp connect error|dns error): |\brefused stream before processing any application logic\b/],
  // The connection broke, in any phase. Errors of the system are recognised by number, because their text is localised.
  [
    'network',
    /\b(connection closed before message completed|tls handshake eof|error reading a body from connection)$/,
  ],
  ['network', /^error sending request for url \(\S*\)$/],
];

/** The number that runtimes written in Rust append to an error of the operating system. */
const SYSTEM_ERROR = /\(os error (\d+)\)$/;

/** Error numbers of broken connections on Linux, macOS and Windows. Those that a socket can report do not overlap. */
const BROKEN: ReadonlySet<number> = new Set([
  // EPIPE, and on Linux ENETDOWN, ENETUNREACH, ENETRESET, ECONNABORTED, ECONNRESET, EHOSTDOWN, EHOSTUNREACH
  ...[32, 100, 101, 102, 103, 104, 112, 113],
  // The same on macOS, then on Windows
  ...[50, 51, 52, 53, 54, 64, 65],
  ...[10_050, 10_051, 10_052, 10_053, 10_054, 10_064, 10_065],
]);
/** ETIMEDOUT on Linux, macOS and Windows. */
const TIMED_OUT: ReadonlySet<number> = new Set([110, 60, 10_060]);

/** The kind of failure that a message stands for; `undefined` if it is not known. */
export function kindOfMessage(message: string): KnownKind | undefined {
  for (const [kind, pattern] of MESSAGES) if (pattern.test(message)) return kind;
  const number = Number(SYSTEM_ERROR.exec(message)?.[1]);
  if (BROKEN.has(number)) return 'network';
  return TIMED_OUT.has(number) ? 'timeout' : undefined;
}

/** True if an error arose in the name lookup, in the connect, or before a stream was processed: nothing was sent. */
export function isUnsent(error: object, message: string): boolean {
  const syscall = property(error, 'syscall');
  return syscall === 'connect' || syscall === 'getaddrinfo' || message.includes('NGHTTP2_REFUSED_STREAM');
}
