import { isPromise } from './promise.ts';
import { property } from './property.ts';
import { warn } from './warn.ts';

/** Observers that have failed. Only the first failure of each is reported. */
const reported = new WeakSet<object>();

function report(name: string, observer: object, cause: unknown): void {
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
