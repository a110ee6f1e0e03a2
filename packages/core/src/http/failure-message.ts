import type { FailureKind } from './outcome.ts';

/**
 * What runtimes say of a failure that carries no code; the first that fits decides. The last three rows are Deno's, whose
 * errors are the chains of its HTTP library (hyper) in words: what it was about, the phase, the cause.
 */
const MESSAGES: readonly (readonly [FailureKind, RegExp])[] = [
  // Browsers, Bun, workers, React Native and undici. Some put the host behind it, in brackets.
  [
    'network',
    /^(fetch failed|failed to fetch|networkerror when attempting to fetch resource\.?|load failed|\s*a network error occurred\.?|network request failed|network connection lost\.?|network error|terminated|socket hang up|other side closed)( \(.*\))?\s*$/is,
  ],
  // Safari, in the words of the system's own URL loading.
  [
    'network',
    /^(the internet connection appears to be offline|the network connection was lost|could not connect to the server|a server with the specified hostname could not be found)\.?$/i,
  ],
  ['timeout', /^(network request timed out|the request timed out)\.?$/i],
  // Nothing was sent: no address, no connection, or a stream that the server says it has not looked at.
  ['connect', /\b(tcp connect error|dns error): |\brefused stream before processing any application logic\b/],
  // The connection ended, in whichever phase. A number of the system stands for what its text says in the user's language.
  [
    'network',
    /\b(connection closed before message completed|tls handshake eof|error reading a body from connection)$/,
  ],
  ['network', /^error sending request for url \(\S*\)$/],
];

/** The number that a runtime written in Rust puts behind an error of the operating system. */
const SYSTEM_ERROR = /\(os error (\d+)\)$/;

/** Broken connections in the numbers of Linux, macOS and Windows. They do not overlap in what a socket can report. */
const BROKEN: ReadonlySet<number> = new Set([
  // EPIPE, and on Linux ENETDOWN, ENETUNREACH, ENETRESET, ECONNABORTED, ECONNRESET, EHOSTDOWN, EHOSTUNREACH
  ...[32, 100, 101, 102, 103, 104, 112, 113],
  // The same on macOS, then on Windows
  ...[50, 51, 52, 53, 54, 64, 65],
  ...[10_050, 10_051, 10_052, 10_053, 10_054, 10_064, 10_065],
]);
/** ETIMEDOUT on Linux, macOS and Windows. */
const TIMED_OUT: ReadonlySet<number> = new Set([110, 60, 10_060]);

export function kindOfMessage(message: string): FailureKind | undefined {
  for (const [kind, pattern] of MESSAGES) if (pattern.test(message)) return kind;
  const number = Number(SYSTEM_ERROR.exec(message)?.[1]);
  if (BROKEN.has(number)) return 'network';
  return TIMED_OUT.has(number) ? 'timeout' : undefined;
}
