import { wrongType } from '../base/check.ts';
import { callHook, HookError } from '../base/errors.ts';
import { isPromise } from '../base/promise.ts';
import { isIdempotent } from '../http/classify.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { HeaderChanges, NextAttempt } from '../policy/before-attempt.ts';
import type { Policy } from '../policy/policy.ts';

/** A request that follows a redirect, for a client that sees each hop as a request of its own. */
export interface Hop {
  /** True if this hop, or one before it, has another origin than the call. `beforeAttempt` is then not asked. */
  readonly isAway: boolean;
  /** The idempotency key of the call. */
  readonly key: string | undefined;
}

function originOf({ url }: RequestTraits): string {
  return URL.parse(url)?.origin ?? url;
}

/**
 * True if what `beforeAttempt` returns must not be added: it may be a credential, which belongs to the origin of the call.
 *
 * @param call the request of the call, as the outermost layer has it; `undefined` if there is no other layer
 */
export function isAway(
  request: RequestTraits,
  hop: Hop | undefined,
  call: RequestTraits | undefined,
): boolean {
  return (
    hop?.isAway === true || (call !== undefined && call !== request && originOf(call) !== originOf(request))
  );
}

/**
 * The key that makes a request repeatable; `undefined` for one that needs none, or has one of its caller.
 *
 * @throws HookError if `idempotencyKey` throws, or returns something else than a string
 */
export function idempotencyKeyOf({ idempotencyKey }: Policy, request: RequestTraits): string | undefined {
  if (idempotencyKey === undefined || isIdempotent(request.method.toUpperCase())) return undefined;
  if (request.header('idempotency-key') !== undefined) return undefined;
  // Without TLS a page has no `randomUUID`. Four random numbers are as unique.
  if (idempotencyKey === true) {
    return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  }
  return callHook('idempotencyKey', () => {
    const key: unknown = idempotencyKey(request);
    if (typeof key !== 'string' || key.trim() === '')
      throw wrongType('its result', 'a string that is not empty', key);
    return key;
  });
}

/**
 * The headers that an attempt changes; `undefined` for none.
 *
 * @param key the idempotency key of the request
 * @param away true if `beforeAttempt` is not to be asked, see {@link isAway}
 * @throws HookError, at once or as a rejection, if `beforeAttempt` fails or returns something else than headers
 */
export function headerChangesOf(
  { beforeAttempt }: Policy,
  next: NextAttempt,
  key: string | undefined,
  away = false,
): HeaderChanges | undefined | Promise<HeaderChanges | undefined> {
  const own = key === undefined ? undefined : { 'idempotency-key': key };
  if (beforeAttempt === undefined || away) return own;
  const made = callHook('beforeAttempt', () => beforeAttempt(next));
  const join = (changes: HeaderChanges | undefined): HeaderChanges | undefined => {
    if (changes === undefined || changes === null) return own;
    callHook('beforeAttempt', () => checkChanges(changes));
    return own === undefined ? changes : { ...own, ...changes };
  };
  if (!isPromise(made)) return join(made);
  // A promise of another library may lack what this one has.
  return Promise.resolve(made).then(join, (cause: unknown) => {
    throw new HookError('beforeAttempt', cause);
  });
}

function checkChanges(changes: unknown): void {
  // It may be a token, returned in place of a header with it.
  if (typeof changes === 'string') throw new TypeError('its result must be an object, got a string');
  if (typeof changes !== 'object') throw wrongType('its result', 'an object', changes);
  for (const [name, value] of Object.entries(changes as object)) {
    if (value !== undefined && typeof value !== 'string') {
      throw wrongType(`its result: ${name}`, 'a string, or undefined', value);
    }
  }
}
