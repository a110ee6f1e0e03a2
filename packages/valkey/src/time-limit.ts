import type { Clock } from '@ebb/core';
import { nextTurn } from '@ebb/core/bucket';

/** A program that is blocked for a while has at most this part of the limit counted for it. */
const PARTS = 4;

/**
 * Calls `onLate` when `limitMs` have passed in which the program ran. A timer alone would count the time in which the
 * program was blocked, and fire before the socket is read, in which the reply may lie.
 *
 * @param inBackground whether the process may end meanwhile
 * @returns a function that calls it off
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
    // Timers come before the sockets in a turn of the event loop, and this after them.
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
