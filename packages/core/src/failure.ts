import type { FailureKind } from './outcome.ts';

/**
 * Codes of Node, undici, Bun and axios. A code that stands here decides; one that does not is `unknown`, as
 * certificate errors (which time does not mend) and parse errors are.
 */
const CODES: Readonly<Record<Exclude<FailureKind, 'unknown'>, string>> = {
  // Never sent: no address, no connection.
  connect: 'ECONNREFUSED ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT ConnectionRefused FailedToOpenSocket',
  // The connection broke, perhaps after the server had acted.
  network:
    'ECONNRESET ECONNABORTED EPIPE ENETDOWN ENETUNREACH ENETRESET EHOSTDOWN EHOSTUNREACH UND_ERR_SOCKET ' +
    'ERR_NETWORK ERR_STREAM_PREMATURE_CLOSE ERR_HTTP2_STREAM_ERROR ERR_HTTP2_SESSION_ERROR ' +
    'ERR_HTTP2_GOAWAY_SESSION ConnectionClosed',
  // No answer in time.
  timeout: 'ETIMEDOUT ESOCKETTIMEDOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT Timeout',
  // The caller's wish.
  aborted: 'ABORT_ERR UND_ERR_ABORTED ERR_CANCELED',
};

function kindOfCode(code: string): FailureKind | undefined {
  const kinds = Object.keys(CODES) as (keyof typeof CODES)[];
  return kinds.find((kind) => CODES[kind].split(' ').includes(code));
}

/** What a runtime says of a network error that carries no code; some put the host behind it, in brackets. */
const NETWORK_MESSAGE =
  /^(fetch failed|failed to fetch|networkerror when attempting to fetch resource\.?|load failed|\s*a network error occurred\.?|network request failed|network connection lost\.?|network error|terminated|socket hang up|other side closed|error sending request for url)( \(.*\))?\s*$/is;
const TIMEOUT_MESSAGE = /^network request timed out$/i;

/** How deep a chain of causes is followed; a chain may be a ring. */
const DEEPEST_CAUSE = 8;

interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

function ownKind(error: ErrorLike): FailureKind | undefined {
  // Whatever went wrong while connecting or looking up an address, nothing was sent.
  if (error.syscall === 'connect' || error.syscall === 'getaddrinfo') return 'connect';
  if (typeof error.message === 'string' && error.message.includes('NGHTTP2_REFUSED_STREAM')) return 'connect';
  if (typeof error.code === 'string') {
    // axios says ECONNABORTED for its own timeout, too.
    if (error.code === 'ECONNABORTED' && /timeout/i.test(String(error.message))) return 'timeout';
    return kindOfCode(error.code);
  }
  if (error.name === 'TimeoutError') return 'timeout';
  return error.name === 'AbortError' ? 'aborted' : undefined;
}

function messageKind({ message }: ErrorLike): FailureKind | undefined {
  if (typeof message !== 'string') return undefined;
  if (NETWORK_MESSAGE.test(message)) return 'network';
  return TIMEOUT_MESSAGE.test(message) ? 'timeout' : undefined;
}

/** Of several failures the one that leaves most in doubt: a refusal beside a reset may have reached the server. */
const MOST_DOUBTFUL_FIRST: readonly FailureKind[] = ['unknown', 'aborted', 'network', 'timeout', 'connect'];

/**
 * What kind of failure an error tells of: by the errors that it groups, by its cause, by its own code or name,
 * and last by the messages that browsers use.
 *
 * A caller's abort cannot always be told from a timeout by the error alone: look at the caller's signal first.
 */
export function failureKind(error: unknown, depth = 0): FailureKind {
  if (typeof error !== 'object' || error === null || depth > DEEPEST_CAUSE) return 'unknown';
  const like = error as ErrorLike;
  const own = ownKind(like);
  if (own === 'aborted' || own === 'connect') return own;
  if (Array.isArray(like.errors) && like.errors.length > 0) {
    const kinds = like.errors.map((inner) => failureKind(inner, depth + 1));
    return MOST_DOUBTFUL_FIRST.find((kind) => kinds.includes(kind)) ?? 'unknown';
  }
  // A mocked network error has the mocked response as its cause.
  const hasCause = typeof like.cause === 'object' && like.cause !== null && 'message' in like.cause;
  const inner = hasCause ? failureKind(like.cause, depth + 1) : 'unknown';
  if (inner !== 'unknown') return inner;
  // axios says ERR_NETWORK around whatever fetch threw, a wrong scheme and a certificate included.
  if (own !== undefined && !(hasCause && like.code === 'ERR_NETWORK')) return own;
  // A cause or a code that says nothing known is still more telling than the message around it.
  return hasCause || typeof like.code === 'string' ? 'unknown' : (messageKind(like) ?? 'unknown');
}
