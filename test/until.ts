import { setImmediate as turn } from 'node:timers/promises';

/** Waits for this many turns of the event loop, which does not depend on how busy the machine is. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn();
}

/** Less than the timeout of a test, and far more than any condition needs. */
const GIVE_UP_MS = 50_000;

/** Waits until a condition holds that this process or its sockets will bring about. */
export async function until(isSo: () => boolean): Promise<void> {
  const startMs = performance.now();
  while (!isSo()) {
    if (performance.now() - startMs > GIVE_UP_MS) throw new Error(`condition never held: ${isSo}`);
    await turn();
  }
}
