import { emit } from '#platform';
import { isPromise } from './promise.ts';
import { isError, property } from './property.ts';

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
  try {
    const result: unknown = observer(event);
    if (isPromise(result)) result.then(undefined, (cause) => report(name, observer, cause));
  } catch (cause) {
    report(name, observer, cause);
  }
}
