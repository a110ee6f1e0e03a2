import { createContext, runInContext } from 'node:vm';

/** The code of the error that {@link stopOnInterrupt} throws on Ctrl-C. */
export const INTERRUPTED = 'ERR_SCRIPT_EXECUTION_INTERRUPTED';

/**
 * Runs long work that blocks the event loop, and lets Ctrl-C end the work at once. A signal handler would not run
 * before the work is done. Without a handler the process would leave half a progress bar on the terminal.
 * @throws Error with the code {@link INTERRUPTED} on SIGINT
 */
export function stopOnInterrupt<T>(work: () => T): T {
  return runInContext('work()', createContext({ work }), { breakOnSigint: true }) as T;
}
