import { inNextTurn } from '#clock';
import { type Clock, OF_SYSTEM, type Random, READS } from './time.ts';

export { inNextTurn, inRealTime, ownClock, systemClock, timersId } from '#clock';
export { keepAlive } from '#platform';
export { type Clock, OF_SYSTEM, type Random } from './time.ts';

/**
 * Resolves in another turn of the event loop. Some clients free a connection only in the turn after its response has ended,
 * and a request that is sent earlier opens another connection.
 */
export function nextTurn(): Promise<void> {
  return new Promise(inNextTurn);
}

/** `Math.random`. */
export const systemRandom: Random = Math.random;

/** True if two clocks show the same time, also if they are of two copies of this package. */
export function isSameClock(one: Clock, other: Clock): boolean {
  return one === other || sourceOf(one) === sourceOf(other);
}

function sourceOf(clock: Clock): unknown {
  if (OF_SYSTEM in clock) return OF_SYSTEM;
  return READS in clock ? clock[READS] : clock;
}
