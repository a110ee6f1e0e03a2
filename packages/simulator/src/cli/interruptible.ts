import { createContext, runInContext } from 'node:vm';

/** What {@link interruptible} throws on Ctrl-C. */
export const INTERRUPTED = 'ERR_SCRIPT_EXECUTION_INTERRUPTED';

/**
 * Does some long work that never comes back to the event loop, so that Ctrl-C ends it all the same. A signal handler would
 * have to wait for it; without one the process would end with half a progress bar on its line.
 * @throws Error with the code {@link INTERRUPTED} on a SIGINT
 */
export function interruptible<T>(work: () => T): T {
  return runInContext('work()', createContext({ work }), { breakOnSigint: true }) as T;
}
