/** Those that have failed: the first failure of each is reported, and no flood of them. */
const reported = new WeakSet<object>();

interface Reporters {
  readonly process?: { emitWarning?(warning: Error): void };
  reportError?(error: unknown): void;
}

/**
 * Reports what an observer threw where a program looks for such things. Node's warnings first: they change
 * nothing, while an error that is reported ends a process in Deno.
 */
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
 * Calls an observer. What it throws, or rejects with, is reported once and changes nothing. `name` is that of the
 * option that holds it.
 */
export function callObserver<E>(name: string, observer: (event: E) => unknown, event: E): void {
  try {
    const told: unknown = observer(event);
    if (typeof (told as PromiseLike<unknown> | undefined)?.then === 'function') {
      (told as PromiseLike<unknown>).then(undefined, (cause) => report(name, observer, cause));
    }
  } catch (cause) {
    report(name, observer, cause);
  }
}
