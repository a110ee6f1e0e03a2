import type { VirtualClock } from '@ebb/core/testing';
import { turns } from './until.ts';

/** Advances virtual time to the next timer, again and again, while nothing else is under way. Returns what ends it. */
export function flow(clock: VirtualClock, isIdle: () => boolean): () => Promise<void> {
  let isOver = false;
  const flowing = (async () => {
    while (!isOver) {
      await turns(1);
      if (isIdle() && clock.nextAtMs !== undefined) clock.tick(clock.nextAtMs - clock.now());
    }
  })();
  return () => {
    isOver = true;
    return flowing;
  };
}
