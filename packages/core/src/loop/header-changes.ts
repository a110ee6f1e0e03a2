import { wrongType } from '../base/check.ts';
import { callHook, HookError } from '../base/errors.ts';
import { isPromise } from '../base/promise.ts';
import { isIdempotent } from '../http/classify.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { HeaderChanges, NextAttempt } from './hooks.ts';
import type { Policy } from './policy.ts';

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

const KEY = 'idempotency-key';

/** The idempotency key of a request. */
export interface KeptKey {
  readonly value: string;
  /** True if ebb has made it, false if the caller has set it. */
  readonly isOurs: boolean;
  /** False once an attempt did not carry it, or carried another one. */
  isKept: boolean;
}

/**
 * The key that identifies a request; `undefined` if it needs none and has none.
 *
 * @param carried the key of the call, for a request that follows a redirect
 * @throws HookError if `idempotencyKey` throws, or returns something else than a string
 */
export function keyOf(policy: Policy, request: RequestTraits, carried?: string): KeptKey | undefined {
  if (carried !== undefined) return { value: carried, isOurs: true, isKept: true };
  if (isIdempotent(request.method.toUpperCase())) return undefined;
  const own = request.header(KEY);
  const value = own ?? madeKey(policy, request);
  return value === undefined ? undefined : { value, isOurs: own === undefined, isKept: true };
}

function madeKey({ idempotencyKey }: Policy, request: RequestTraits): string | undefined {
  if (idempotencyKey === undefined) return undefined;
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
 * @param key that of the request. It is marked if the attempt does not carry it
 * @param away true if `beforeAttempt` is not to be asked, see {@link isAway}
 * @throws HookError, at once or as a rejection, if `beforeAttempt` fails or returns something else than headers
 */
export function headerChangesOf(
  { beforeAttempt }: Policy,
  next: NextAttempt,
  key: KeptKey | undefined,
  away = false,
): HeaderChanges | undefined | Promise<HeaderChanges | undefined> {
  const own = key?.isOurs ? { [KEY]: key.value } : undefined;
  if (beforeAttempt === undefined || away) return own;
  const made = callHook('beforeAttempt', () => beforeAttempt(next));
  const join = (result: unknown): HeaderChanges | undefined => {
    if (result === undefined || result === null) return own;
    const changes = callHook('beforeAttempt', () => changesIn(result));
    if (key !== undefined) markKey(key, changes);
    return own === undefined ? changes : { ...own, ...changes };
  };
  if (!isPromise(made)) return join(made);
  // A promise of another library may lack what this one has.
  return Promise.resolve(made).then(join, (cause: unknown) => {
    throw new HookError('beforeAttempt', cause);
  });
}

/** A server knows a request again only by the same key. */
function markKey(key: KeptKey, changes: HeaderChanges): void {
  for (const [name, value] of Object.entries(changes)) {
    if (name.toLowerCase() === KEY && value !== key.value) key.isKept = false;
  }
}

const TAKES = 'an object of strings, Headers, or pairs of a name and a value';

/** By its tag: it may come from another realm. */
function isMap(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Map]';
}

/** The changes in what `beforeAttempt` has returned, read once: it may be an iterator. */
function changesIn(result: unknown): HeaderChanges {
  // It may be a token, returned in place of a header with it.
  const got = typeof result === 'string' ? 'a string' : isMap(result) ? 'a Map' : undefined;
  if (got !== undefined) throw new TypeError(`its result must be ${TAKES}, got ${got}`);
  if (typeof result !== 'object' || result === null) throw wrongType('its result', TAKES, result);
  if (Symbol.iterator in result) return fromPairs(result as Iterable<unknown>);
  const entries = Object.entries(result);
  for (const [name, value] of entries) checkValue(name, value);
  // A response in place of its headers, for example: nothing would be changed.
  if (entries.length === 0 && !isPlain(result)) throw wrongType('its result', TAKES, result);
  return result as HeaderChanges;
}

function checkValue(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') {
    throw wrongType(`its result: ${name}`, 'a string, or undefined', value);
  }
}

function fromPairs(pairs: Iterable<unknown>): HeaderChanges {
  const changes = new Map<string, string | undefined>();
  for (const pair of pairs) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') throw wrongType('its result', TAKES, pairs);
    const [name, value] = pair as [string, unknown];
    checkValue(name, value);
    const lower = name.toLowerCase();
    const before = changes.get(lower);
    // As `Headers` do with a name that is repeated.
    changes.set(
      lower,
      before === undefined || value === undefined ? (value as string) : `${before}, ${value}`,
    );
  }
  return Object.fromEntries(changes);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
