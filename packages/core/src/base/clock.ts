import { inNextTurn } from '#clock';
import type { Random } from './time.ts';

export { inNextTurn, inRealTime, systemClock, timersId } from '#clock';
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
