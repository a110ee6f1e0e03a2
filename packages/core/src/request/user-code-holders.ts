import type { ConcurrencyLimit } from '../limits/contracts.ts';

/** How many slots of each limit are held while user code runs, such as a body factory. */
const held = new WeakMap<ConcurrencyLimit, number>();

/** To be called with 1 before user code runs with a slot of the limit, and with -1 after it. */
export function countHolder(limit: ConcurrencyLimit, by: 1 | -1): void {
  held.set(limit, (held.get(limit) ?? 0) + by);
}

/** True if all slots are held while user code runs: if that code waits for such a slot itself, none becomes free. */
export function areAllHeld(limit: ConcurrencyLimit): boolean {
  return (held.get(limit) ?? 0) >= limit.stats().maxConcurrent;
}
