import { devText } from '#dev-text';
import { wrongType } from '../base/check.ts';
import { callHook, HookError, isObject, isPromise } from '../base/errors.ts';
import { messageOf } from '../base/options.ts';
import { isIdempotent } from '../http/classify.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { CallView } from '../policy/call-view.ts';
import type { HeaderChanges, HeaderValue, KeptKey, NextAttempt, SentHeaders } from '../policy/hooks.ts';
import type { Policy } from '../policy/options.ts';
import { isTrusted } from '../policy/trust.ts';

const KEY = 'idempotency-key';

/**
 * The key that identifies a request; `undefined` if it needs none and has none.
 *
 * @throws HookError if `idempotencyKey` throws, or returns something else than a string
 */
export function keyOf(policy: Policy, request: RequestTraits): KeptKey | undefined {
  if (isIdempotent(request.method.toUpperCase())) return undefined;
  const own = request.header(KEY);
  const value = own ?? madeKey(policy, request);
  return value === undefined ? undefined : { value, isOurs: own === undefined, isKept: true };
}

function madeKey({ idempotencyKey }: Policy, request: RequestTraits): string | undefined {
  if (!idempotencyKey) return undefined;
  // Without TLS a page has no `randomUUID`. Four random numbers are as unique.
  if (idempotencyKey === true)
    return crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  return callHook('idempotencyKey', () => {
    const key: unknown = idempotencyKey(request);
    if (typeof key !== 'string' || key.trim() === '')
      throw wrongType('its result', devText('a string that is not empty'), key);
    return key;
  });
}

type Changes = HeaderChanges | undefined;

/**
 * The headers that an attempt changes; `undefined` for none. A later change of the same header replaces an earlier one, in this
 * order: the idempotency key of ebb, `publicHeaders`, `beforeAttempt` of the policy, `beforeAttempt` of the plugins. The last two
 * may be credentials, and are called for a trusted origin only.
 *
 * @param key the key of the request. `isKept` becomes false if the attempt does not carry the key
 * @throws HookError, at once or as a rejection, if user code fails or returns something else than headers
 */
export function headerChangesOf(
  { beforeAttempt, trustedOrigins, plugins = [] }: Partial<Policy>,
  next: NextAttempt,
  key: KeptKey | undefined,
  call: CallView,
): Changes | Promise<Changes> {
  const own = key?.isOurs ? { [KEY]: key.value } : undefined;
  const asked: (Changes | Promise<Changes>)[] = [];
  const askPlugins = (hook: 'publicHeaders' | 'beforeAttempt'): void => {
    for (const plugin of plugins) {
      if (plugin[hook]) asked.push(ask('plugins', () => plugin[hook]?.(next, call)));
    }
  };
  askPlugins('publicHeaders');
  if (isTrusted({ trustedOrigins }, next.request)) {
    if (beforeAttempt) asked.push(ask('beforeAttempt', () => beforeAttempt(next)));
    askPlugins('beforeAttempt');
  }
  const join = (all: readonly Changes[]): Changes => {
    if (!all.some(Boolean)) return own;
    const changes = new Map<string, [name: string, value: HeaderValue]>();
    for (const one of all.flatMap((made) => Object.entries(made ?? {})))
      changes.set(one[0].toLowerCase(), one);
    const changed = changes.get(KEY);
    // A server knows a request again only by the same key.
    if (key && changed && changed[1] !== key.value) key.isKept = false;
    return { ...own, ...Object.fromEntries(changes.values()) };
  };
  return asked.some(isPromise) ? Promise.all(asked).then(join) : join(asked as Changes[]);
}

/** Calls a hook, and reads the header changes that it returns. */
function ask(hook: string, call: () => unknown): Changes | Promise<Changes> {
  const read = (result: unknown): Changes =>
    callHook(hook, () => (result === undefined || result === null ? undefined : changesIn(hook, result)));
  const failed = (cause: unknown): never => {
    throw new HookError(hook, cause);
  };
  let made: unknown;
  try {
    made = call();
  } catch (cause) {
    failed(cause);
  }
  // A promise of another library may lack methods of a native one.
  if (!isPromise(made)) return read(made);
  const asked = Promise.resolve(made).then(read, failed);
  // Another hook may fail before this one is waited for.
  asked.catch(() => undefined);
  return asked;
}

/**
 * The headers of an attempt that is being sent.
 *
 * @throws HookError if a function that returns a value fails
 */
export function headersNow(changes: HeaderChanges): SentHeaders {
  const entries = Object.entries(changes);
  if (entries.every(([, value]) => typeof value !== 'function')) return changes as SentHeaders;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'function' ? value() : value]),
  );
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(messageOf(`its result: ${name}`, devText('a string, or undefined'), typeof value));
}

/** A header's value, which is checked when it is known. */
function checkValue(hook: string, name: string, value: unknown): HeaderValue {
  return typeof value === 'function'
    ? () => callHook(hook, () => textOf(name, value()))
    : textOf(name, value);
}

const TAKES = /* @__PURE__ */ devText('an object of strings, Headers, or pairs of a name and a value');

/** The forms of `HeadersInit`. The error names the type of anything else alone: it may be a token, in place of a header with it. */
function entriesOf(result: unknown): readonly unknown[] {
  const type = Object.prototype.toString.call(result).slice(8, -1);
  if (type === 'Headers') return [...(result as Headers)];
  if (Array.isArray(result)) return result;
  if (isObject(result) && isPlain(result)) return Object.entries(result);
  throw new TypeError(messageOf('its result', TAKES, type));
}

/** An object of another class has fields that are no headers: nothing would be changed. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The header changes in a result of user code. @throws TypeError for anything but headers */
export function changesIn(hook: string, result: unknown): HeaderChanges {
  const changes = new Map<string, HeaderValue>();
  for (const pair of entriesOf(result)) {
    const [given, made]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    if (typeof given !== 'string') throw wrongType('its result', TAKES, result);
    const value = checkValue(hook, given, made);
    // No server has a header of that name: the rest of the request cannot be changed.
    if (/^(url|method|body|headers)$/i.test(given))
      throw wrongType('its result', devText('the headers alone'), given);
    const name = Array.isArray(result) ? given.toLowerCase() : given;
    const before = changes.get(name);
    // As `Headers` do with a name that is repeated.
    const isBoth = typeof before === 'string' && typeof value === 'string';
    changes.set(name, isBoth ? `${before}, ${value}` : value);
  }
  return Object.fromEntries(changes);
}
