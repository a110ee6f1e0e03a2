import { kindOfMessage } from '#platform';
import { hasProperty, property } from '../base/property.ts';
import { DEEPEST_CAUSE, kindOfCode } from './failure-code.ts';
import type { FailureKind, Outcome } from './outcome.ts';

function ownKind(error: object): FailureKind | undefined {
  // The error arose in the name lookup or in the connect, so nothing was sent.
  const syscall = property(error, 'syscall');
  if (syscall === 'connect' || syscall === 'getaddrinfo') return 'connect';
  const message = property(error, 'message');
  const text = typeof message === 'string' ? message : '';
  if (text.includes('NGHTTP2_REFUSED_STREAM')) return 'connect';
  const code = property(error, 'code');
  if (typeof code === 'string') {
    // axios also uses ECONNABORTED for its own timeout.
    if (code === 'ECONNABORTED' && /timeout/i.test(text)) return 'timeout';
    return kindOfCode(code);
  }
  const name = property(error, 'name');
  if (name === 'TimeoutError') return 'timeout';
  return name === 'AbortError' ? 'aborted' : undefined;
}

function messageKind(error: object): FailureKind | undefined {
  const message = property(error, 'message');
  return typeof message === 'string' ? kindOfMessage(message) : undefined;
}

/** Of several errors the least certain kind applies: beside a refused connection, another may have reached the server. */
const MOST_DOUBTFUL_FIRST: readonly FailureKind[] = ['unknown', 'aborted', 'network', 'timeout', 'connect'];

/** The `errors` of an error; empty if there are none, or reading them throws. */
function groupOf(error: object): readonly unknown[] {
  try {
    const errors = property(error, 'errors');
    return Array.isArray(errors) ? [...errors] : [];
  } catch {
    return [];
  }
}

/**
 * The cause of an error, if that is an error as well, or the words of one: mocks of fetch give strings. The cause of a
 * network error of msw is the mocked response.
 */
function causeOf(error: object): object | string | undefined {
  const cause = property(error, 'cause');
  if (typeof cause === 'string') return cause || undefined;
  return typeof cause === 'object' && cause !== null && hasProperty(cause, 'message') ? cause : undefined;
}

/**
 * The kind of failure that an error reports: by the errors that it groups, by its cause, by its own code or name, and last
 * by the messages of the runtimes. Never throws, even if the getters of the error do.
 *
 * An abort by the caller cannot always be told from a timeout by the error alone: check the caller's signal first.
 */
export function failureKind(error: unknown, depth = 0): FailureKind {
  // A string that is thrown may be anything, but one in an error is about the failure.
  if (typeof error === 'string' && depth > 0) return kindOfCode(error) ?? kindOfMessage(error) ?? 'unknown';
  if (typeof error !== 'object' || error === null || depth > DEEPEST_CAUSE) return 'unknown';
  const own = ownKind(error);
  if (own === 'aborted' || own === 'connect') return own;
  const group = groupOf(error);
  if (group.length > 0) {
    const kinds = group.map((inner) => failureKind(inner, depth + 1));
    return MOST_DOUBTFUL_FIRST.find((kind) => kinds.includes(kind)) ?? 'unknown';
  }
  const cause = causeOf(error);
  const inner = failureKind(cause, depth + 1);
  if (inner !== 'unknown') return inner;
  const code = property(error, 'code');
  // axios wraps every error of fetch in ERR_NETWORK, including a wrong scheme or certificate.
  if (own !== undefined && !(cause !== undefined && code === 'ERR_NETWORK')) return own;
  // A cause or a code that is not known still outranks the message of the error around it.
  return cause !== undefined || typeof code === 'string' ? 'unknown' : (messageKind(error) ?? 'unknown');
}

/** True if it is certain that the attempt reached no server. After a redirect the first hop has reached one. */
export function neverSent(outcome: Outcome): boolean {
  return outcome.type === 'failure' && outcome.kind === 'connect' && outcome.redirected === false;
}
