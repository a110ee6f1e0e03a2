import { emit } from '#platform';

/**
 * Why a request was not sent.
 *
 * - `not-conforming`: the tokens were not available, and the bucket does not queue (`nonConforming: 'reject'`)
 * - `queue-full`: `maxQueue` requests wait already
 * - `evicted`: another request took its place in the full queue (`overflow`)
 * - `wait-too-long`: its turn would not come, or did not come, within `maxWaitMs` or the total timeout
 * - `capacity-lowered`: it costs more than the new capacity of the bucket
 * - `closed`: the bucket was closed
 * - `stopped`: the policy's `stopSignal` has aborted
 * - `overload`: too little succeeds, and its last scheduled attempt was skipped
 * - `unavailable`: the store of a shared bucket could not be reached
 */
export type NotSentReason =
  | 'not-conforming'
  | 'queue-full'
  | 'evicted'
  | 'wait-too-long'
  | 'capacity-lowered'
  | 'closed'
  | 'stopped'
  | 'overload'
  | 'unavailable';

/**
 * Makes `instanceof` recognise the errors of every copy of this package in a program. There are two copies when one part
 * of a program requires the package and another imports it.
 */
function recogniseOtherCopies(kind: abstract new (...args: never[]) => Error, name: string): void {
  const mark = Symbol.for(`@ebb/core ${name}`);
  const isOfThisCopy = Function.prototype[Symbol.hasInstance];
  Object.assign(kind.prototype, { [mark]: true });
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // Inherited by subclasses, which must recognise their own instances only.
      return this === kind ? property(value, mark) === true : isOfThisCopy.call(this as never, value);
    },
  });
}

/** The request was not sent, because it could not get its tokens or its slot within its limits, or because too little succeeds. */
export class NotSentError extends Error {
  static {
    recogniseOtherCopies(NotSentError, 'NotSentError');
  }

  override readonly name = 'NotSentError';
  /** How long the tokens would have taken, in milliseconds; `undefined` if that is not known. */
  readonly waitMs: number | undefined;
  readonly reason: NotSentReason;
  /** The `fairKey` of the request that a policy has refused, if it has one. */
  declare readonly fairKey?: string;

  constructor(
    message: string,
    waitMs?: number,
    // Not `ErrorOptions`, which the library of ES2021 does not have.
    options: { readonly cause?: unknown; readonly reason?: NotSentReason | undefined } = {},
  ) {
    super(message, options);
    this.waitMs = waitMs;
    this.reason = options.reason ?? 'not-conforming';
  }
}

/** A function of the policy, such as `cost` or `classify`, threw or returned an invalid value. `cause` is the error. */
export class HookError extends Error {
  static {
    recogniseOtherCopies(HookError, 'HookError');
  }

  override readonly name = 'HookError';
  /** The option that the function was given as. */
  readonly hook: string;

  constructor(hook: string, cause: unknown) {
    super(`${hook} failed: ${textOfError(cause)}`, { cause });
    this.hook = hook;
  }
}

/**
 * Calls a user's function, which has to return its result at once.
 *
 * @param hook the option that the function was given as
 * @param check throws for a result that the function must not return
 * @throws HookError if one of them throws, or the result is a promise
 */
export function callHook<T>(hook: string, call: () => T, check?: (name: string, result: unknown) => void): T {
  let result: unknown;
  try {
    result = call();
    check?.('its result', result);
    if (isPromise(result)) throw new TypeError('its result must be there at once, got a promise');
    return result as T;
  } catch (cause) {
    // The rejection of the promise is of no use.
    if (isPromise(result)) Promise.resolve(result).catch(() => undefined);
    throw new HookError(hook, cause);
  }
}

/**
 * A property of an unknown value; `undefined` if reading it throws. Some runtimes reject with errors whose getters throw,
 * and a `Proxy` may do anything. Such a defect must not replace the error itself.
 */
export function property(of: unknown, name: PropertyKey): unknown {
  try {
    return (of as Record<PropertyKey, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

/** True for an error. Also of a `Proxy` this may throw. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** The text of a thrown value. */
function textOfError(thrown: unknown): string {
  const message = isError(thrown) ? property(thrown, 'message') : thrown;
  try {
    return String(message);
  } catch {
    return typeof message;
  }
}

/** True for a value that may have fields, a list and a promise included. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** True for a promise, of any library. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function';
}

/**
 * An error's name, message and stack. Its other fields may hold secrets, as the `config` of axios's errors does, and no one
 * looks at what a warning carries before it is logged.
 */
function withoutFields(cause: unknown): unknown {
  if (!isError(cause)) return undefined;
  const read = (name: string): string => String(property(cause, name) ?? '');
  return Object.assign(new Error(read('message')), { name: read('name'), stack: read('stack') });
}

/** Shows a warning: by `process.emitWarning`, or in browsers by `reportError`. */
export function warn(text: string, cause?: unknown): void {
  const warning = new Error(text, cause === undefined ? undefined : { cause: withoutFields(cause) });
  warning.name = 'EbbWarning';
  emit(warning);
}

/** Observers that have failed. Only the first failure of each is reported. */
const reported = new WeakSet<object>();

/**
 * Reports that user code has failed which changes nothing.
 *
 * @param name the option that it was given as
 */
export function report(name: string, observer: object, cause: unknown): void {
  if (reported.has(observer)) return;
  reported.add(observer);
  const message = property(cause, 'message');
  const text = typeof message === 'string' ? message : `it threw ${typeof cause}`;
  warn(`${name} failed, and is ignored: ${text}`, cause);
}

/**
 * Calls an observer. An error that it throws, or rejects with, is reported once and changes nothing.
 *
 * @param name the option that the observer was given as
 */
export function callObserver<E>(name: string, observer: (event: E) => unknown, event: E): void {
  // Without a closure: it is called for every event.
  try {
    reportRejection(name, observer, observer(event));
  } catch (cause) {
    report(name, observer, cause);
  }
}

/**
 * Calls user code whose result is of no use. An error that it throws, or rejects with, is reported once and changes nothing.
 *
 * @param owner the object that was given as `name`, and has the code
 */
export function callQuietly(name: string, owner: object, call: () => unknown): void {
  try {
    reportRejection(name, owner, call());
  } catch (cause) {
    report(name, owner, cause);
  }
}

/** Reports the rejection of an async function in a place where nothing waits for it: an unhandled rejection would end the process. */
export function reportRejection(name: string, owner: object, result: unknown): void {
  if (isPromise(result)) result.then(undefined, (cause: unknown) => report(name, owner, cause));
}
