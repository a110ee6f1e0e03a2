import type { Clock } from '@ebb/core';
import { nextTurn } from '@ebb/core/bucket';

/** The limit is measured by so many timers in a row, so a blocked event loop counts as one of these parts at most. */
const PARTS = 4;

/**
 * Calls `onLate` after `limitMs` in which the event loop ran. A plain timer also counts the time in which the event
 * loop is blocked, and fires before the socket is read that may hold the reply.
 *
 * @param inBackground whether the process may exit meanwhile
 * @returns a function that cancels it
 */
export function timeLimit(
  clock: Clock,
  limitMs: number,
  onLate: () => void,
  inBackground = false,
): () => void {
  let isOver = false;
  let left = PARTS;
  let stopTimer = (): void => {};
  const onPart = (): void => {
    left -= 1;
    if (left > 0) {
      arm();
      return;
    }
    // Node runs timers before it reads sockets, and this after both.
    void nextTurn().then(() => {
      if (!isOver) onLate();
    });
  };
  const arm = (): void => {
    stopTimer = clock.schedule(onPart, limitMs / PARTS, inBackground);
  };
  arm();
  return () => {
    isOver = true;
    stopTimer();
  };
}
