import { kindOfNode, NODE_KINDS } from '#platform';
import { isError, isObject, property } from '../base/errors.ts';
import type { FailureKind, Outcome } from './outcome.ts';

/**
 * By kind: error codes of the system and of axios, and the names of errors without a code. `NODE_KINDS` has those of Node, undici, Bun and
 * others, and their messages. Anything else is `unknown`, such as an error of a certificate or a parser, which a retry does not fix.
 */
const KINDS: readonly (readonly [FailureKind, RegExp])[] = [
  ['aborted', /^(ABORT_ERR|ERR_CANCELED|AbortError)$/],
  // Nothing was sent: no address, or no connection.
  ['connect', /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/],
  ['timeout', /^(ETIMEDOUT|TimeoutError)$/],
  // The connection broke, possibly after the server has carried out the request.
  ['network', /^(ECONNRESET|ECONNABORTED|EPIPE|E(NET|HOST)UNREACH|ERR_NETWORK)$/],
  ...NODE_KINDS,
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
export const DEEPEST_CAUSE = 8;

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

/** An error, or the words of one: mocks of fetch give strings. The cause of a network error of msw is the mocked response. */
export function causeOf(error: unknown): unknown {
  const cause = property(error, 'cause');
  return isObject(cause) && !('message' in cause) ? undefined : cause;
}

/** True for a `TypeError`: browsers say no more of a connection that was lost, and of a mistake in a program. */
export function isTypeError(error: unknown): boolean {
  return nameOf(error) === 'TypeError';
}

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
  const cause = causeOf(error);
  const inner = kindOf(cause, depth + 1);
  if (inner !== 'unknown') return inner;
  // axios wraps every error of fetch in ERR_NETWORK, including a wrong scheme or certificate, which are the cause of a `TypeError`.
  const isWrapped = code === 'ERR_NETWORK' && cause && !(isTypeError(cause) && !causeOf(cause));
  if (own && !isWrapped) return own;
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
