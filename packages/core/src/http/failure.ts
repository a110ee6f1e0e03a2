import { CODES, isUnsent, kindOfMessage } from '#platform';
import { hasProperty, property } from '../base/property.ts';
import type { FailureKind, Outcome } from './outcome.ts';

/** The kind of failure that an error code stands for; `undefined` if it is not known. */
function kindOfCode(code: string): FailureKind | undefined {
  const kinds = Object.keys(CODES) as (keyof typeof CODES)[];
  return kinds.find((kind) => CODES[kind].split(' ').includes(code));
}

/** How deep a chain of causes is followed. A chain may be a ring. */
const DEEPEST_CAUSE = 8;

/** Any other text could be anything, a URL with a key for instance, and codes go to logs. */
const IDENTIFIER = /^[\w.-]{1,64}$/;

/**
 * The code of an error or of one of its causes, else the name of the error; `undefined` if there is neither, or neither is
 * an identifier.
 */
export function codeOf(error: unknown): string | undefined {
  try {
    for (let at = error, depth = 0; depth < DEEPEST_CAUSE; depth += 1) {
      if (typeof at !== 'object' || at === null) break;
      const { code, cause } = at as { code?: unknown; cause?: unknown };
      if (typeof code === 'string' && IDENTIFIER.test(code)) return code;
      at = cause;
    }
    return nameOf(error);
  } catch {
    // The getters of some errors throw.
    return undefined;
  }
}

/** The name of an error; `undefined` for anything else, and for a name that is not an identifier. */
export function nameOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const name = property(error, 'name');
  return typeof name === 'string' && IDENTIFIER.test(name) ? name : undefined;
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
  const message = property(error, 'message');
  const text = typeof message === 'string' ? message : '';
  if (isUnsent(property(error, 'syscall'), text)) return 'connect';
  const code = property(error, 'code');
  const hasCode = typeof code === 'string';
  const name = property(error, 'name');
  let own: FailureKind | undefined;
  // axios also uses ECONNABORTED for its own timeout.
  const isTimeout = hasCode ? code === 'ECONNABORTED' && /timeout/i.test(text) : name === 'TimeoutError';
  if (isTimeout) own = 'timeout';
  else if (hasCode) own = kindOfCode(code);
  else if (name === 'AbortError') own = 'aborted';
  if (own === 'aborted' || own === 'connect') return own;
  const kinds = groupOf(error).map((inner) => failureKind(inner, depth + 1));
  if (kinds.length > 0) return MOST_DOUBTFUL_FIRST.find((kind) => kinds.includes(kind)) as FailureKind;
  const cause = causeOf(error);
  const inner = failureKind(cause, depth + 1);
  if (inner !== 'unknown') return inner;
  // axios wraps every error of fetch in ERR_NETWORK, including a wrong scheme or certificate.
  if (own !== undefined && !(cause !== undefined && code === 'ERR_NETWORK')) return own;
  // A cause or a code that is not known still outranks the message of the error around it.
  return (cause === undefined && !hasCode && kindOfMessage(text)) || 'unknown';
}

/** True if it is certain that the attempt reached no server. After a redirect the first hop has reached one. */
export function neverSent(outcome: Outcome): boolean {
  return outcome.type === 'failure' && outcome.kind === 'connect' && outcome.redirected === false;
}
