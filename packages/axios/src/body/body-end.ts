import type { Clock } from '@ebb/core';
import { responseIn } from '../outcome.ts';
import { whenArrived } from './message-complete.ts';
import { readAhead } from './read-ahead.ts';
import { isNodeReadable, isWebReadable } from './stream.ts';

/**
 * Calls `ended` when the connection is done with the response in what an adapter settled with: at once if axios
 * has read it; else when its body has arrived, read or not, has failed or was given up.
 */
export function whenBodyEnds(settled: unknown, clock: Clock, ended: () => void): void {
  const response = responseIn(settled);
  const data: unknown = response?.data;
  if (isNodeReadable(data) && !data.destroyed && !data.readableEnded) {
    // A stream that fails closes, too. To listen for its error would hide it from a caller who does not.
    data.on('end', ended);
    data.on('close', ended);
    whenArrived(data, response?.request, clock, ended);
  } else if (response !== undefined && isWebReadable(data) && !data.locked) {
    response.data = readAhead(data, ended);
  } else {
    ended();
  }
}
