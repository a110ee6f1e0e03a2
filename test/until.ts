import { setImmediate as turn } from 'node:timers/promises';

/** Lets the event loop go round some times: what is at hand for it happens, however loaded the machine is. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn();
}

/**
 * Waits for something to be so, for as long as it takes: the limit is that of the test. What it waits for must
 * come to pass in this process or over its sockets.
 */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}
