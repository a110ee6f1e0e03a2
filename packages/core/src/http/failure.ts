import { kindOfNode } from '#platform';
import { isError, isObject, property } from '../base/errors.ts';
import type { FailureKind, Outcome } from './outcome.ts';

/**
 * By kind: error codes of Node, undici, Bun and axios, the names of errors without a code, and the messages of errors without either,
 * of browsers, React Native, workers, Bun and Deno. Anything else is `unknown`, such as an error of a certificate or a parser, which a
 * retry does not fix. Deno's messages are the chain of errors of its HTTP library, and may end with a text of the system in any
 * language. The first that matches applies.
 */
const KINDS: readonly (readonly [FailureKind, RegExp])[] = [
  ['aborted', /^(ABORT_ERR|UND_ERR_ABORTED|ERR_CANCELED|AbortError)$/],
  // Nothing was sent: no address, no connection, or a stream that the server refused before processing.
  [
    'connect',
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$|\b(tcp connect|dns) error: |\brefused stream before processing\b/,
  ],
  [
    'timeout',
    /^(ETIMEDOUT|UND_ERR_(HEADERS|BODY)_TIMEOUT|Timeout(Error)?|(network|the) request timed out\.?)$|timed out \(os error/i,
  ],
  // The connection broke, possibly after the server has carried out the request.
  [
    'network',
    /^(ECONNRESET|ECONNABORTED|EPIPE|E(NET|HOST)UNREACH|UND_ERR_SOCKET|ERR_NETWORK|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP2_((STREAM_|SESSION_)?ERROR|(GOAWAY|INVALID)_SESSION)|ConnectionClosed)$/,
  ],
  // Some browsers append the host in brackets.
  [
    'network',
    /^(fetch failed|failed to fetch|load failed|terminated|socket hang up|error in (body|input) stream|((a|the) )?(network|internet connection)[\w ]*|could not connect to the server|a server with the specified hostname could not be found)\.?( \(.*\))?$/is,
  ],
  [
    'network',
    /^error sending request for url \(\S*\)(: (?!.*(certificate|redirect))|$)|\bconnection (closed|error|reset)\b|\bfrom connection$/i,
  ],
];

/** The kind of failure that a code, a name or a message stands for; `undefined` if it is not known. */
function kindOfText(text: string): FailureKind | undefined {
  const trimmed = text.trim();
  return KINDS.find(([, pattern]) => pattern.test(trimmed))?.[0];
}

/** True if an error arose in the name lookup, in the connect, or before a stream was processed: nothing was sent. */
function isUnsent(error: object, message: string): boolean {
  const syscall = property(error, 'syscall');
  return syscall === 'connect' || syscall === 'getaddrinfo' || message.includes('NGHTTP2_REFUSED_STREAM');
}

/** How deep a chain of causes is followed. A chain may be a ring. */
const DEEPEST_CAUSE = 8;

/** A property that is a text; empty if it is none. */
function textOf(error: unknown, name: string): string {
  const text = property(error, name);
  return typeof text === 'string' ? text : '';
}

/** A name or a code. Any other text could be anything, a URL with a key for instance, and these go to logs. */
function identifier(text: unknown): string | undefined {
  return typeof text === 'string' && /^[\w.-]{1,64}$/.test(text) ? text : undefined;
}

/**
 * The code of an error or of one of its causes, else the name of the error; `undefined` if there is neither, or neither is
 * an identifier.
 */
function codeOf(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; at && depth < DEEPEST_CAUSE; depth += 1) {
    const code = identifier(property(at, 'code'));
    if (code) return code;
    at = property(at, 'cause');
  }
  return nameOf(error);
}

/** The name of an error; `undefined` for anything else, and for a name that is not an identifier. */
export function nameOf(error: unknown): string | undefined {
  return isError(error) ? identifier(property(error, 'name')) : undefined;
}

/** The field of an entry in a log that has the code of an error, if there is one. */
export function codeIn(error: unknown): { readonly code?: string } {
  const code = codeOf(error);
  return code ? { code } : {};
}

/** The least certain kind of several errors applies: beside a refused connection, another may have reached the server. */
const MOST_DOUBTFUL_FIRST: readonly FailureKind[] = ['unknown', 'aborted', 'network', 'timeout', 'connect'];

/** By the errors that an error groups, by its cause, by its own code or name, and last by the messages of the runtimes. */
function kindOf(error: unknown, depth: number): FailureKind {
  // A string that is thrown may be anything, but one in an error is about the failure.
  if (typeof error === 'string' && depth > 0) return kindOfText(error) ?? 'unknown';
  if (!isObject(error) || depth > DEEPEST_CAUSE) return 'unknown';
  const message = textOf(error, 'message');
  if (isUnsent(error, message)) return 'connect';
  const code = textOf(error, 'code');
  // axios also uses ECONNABORTED for its own timeout.
  const isTimeout = code === 'ECONNABORTED' && /timeout/i.test(message);
  const ofNode = kindOfNode(code, message, error);
  const own = ofNode ?? (isTimeout ? 'timeout' : kindOfText(code || textOf(error, 'name')));
  if (own === 'aborted' || own === 'connect') return own;
  const errors = property(error, 'errors');
  const kinds = Array.isArray(errors) ? errors.map((one) => kindOf(one, depth + 1)) : [];
  const worst = MOST_DOUBTFUL_FIRST.find((kind) => kinds.includes(kind));
  if (worst) return worst;
  // An error, or the words of one: mocks of fetch give strings. The cause of a network error of msw is the mocked response.
  let cause = property(error, 'cause');
  if (isObject(cause) && !('message' in cause)) cause = undefined;
  const inner = kindOf(cause, depth + 1);
  if (inner !== 'unknown') return inner;
  // axios wraps every error of fetch in ERR_NETWORK, including a wrong scheme or certificate.
  if (own && !(cause && code === 'ERR_NETWORK')) return own;
  // A cause or a code that is not known still outranks the message of the error around it.
  return (!cause && !code && kindOfText(message)) || 'unknown';
}

/**
 * The kind of failure that an error reports. Never throws, even if the getters of the error do.
 *
 * An abort by the caller cannot always be told from a timeout by the error alone: check the caller's signal first.
 */
export function failureKind(error: unknown): FailureKind {
  try {
    return kindOf(error, 0);
  } catch {
    return 'unknown';
  }
}

/** True if it is certain that the attempt reached no server. After a redirect the first hop has reached one. */
export function neverSent(outcome: Outcome): boolean {
  return outcome.type === 'failure' && outcome.kind === 'connect' && outcome.redirected === false;
}
