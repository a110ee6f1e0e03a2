/** Observers that have failed. Only the first failure of each is reported. */
const reported = new WeakSet<object>();

interface Reporters {
  readonly process?: { emitWarning?(warning: Error): void };
  reportError?(error: unknown): void;
}

/** Reports the error of an observer: as a Node warning if possible, since `reportError` ends the process in Deno. */
function report(name: string, observer: object, cause: unknown): void {
  if (reported.has(observer)) return;
  reported.add(observer);
  const { process, reportError } = globalThis as Reporters;
  const text = cause instanceof Error ? cause.message : String(cause);
  const warning = new Error(`${name} failed, and is ignored: ${text}`, { cause });
  warning.name = 'EbbWarning';
  if (typeof process?.emitWarning === 'function') process.emitWarning(warning);
  else if (typeof reportError === 'function') reportError(warning);
}

/**
 * Calls an observer. An error that it throws, or rejects with, is reported once and changes nothing.
 *
 * @param name the option that the observer was given as
 */
export function callObserver<E>(name: string, observer: (event: E) => unknown, event: E): void {
  try {
    const result: unknown = observer(event);
    if (typeof (result as PromiseLike<unknown> | undefined)?.then === 'function') {
      (result as PromiseLike<unknown>).then(undefined, (cause) => report(name, observer, cause));
    }
  } catch (cause) {
    report(name, observer, cause);
  }
}
