import { setImmediate as turn } from 'node:timers/promises';

/** Lets the event loop go round some times: what is at hand for it happens, however loaded the machine is. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn();
}

/** Less than the limit of a test, and far more than anything takes. */
const GIVE_UP_MS = 50_000;

/** Waits for something that happens in this process or over its sockets, for as long as it takes. */
export async function until(isSo: () => boolean): Promise<void> {
  const startMs = performance.now();
  while (!isSo()) {
    if (performance.now() - startMs > GIVE_UP_MS) throw new Error(`it is never so that ${isSo}`);
    await turn();
  }
}
