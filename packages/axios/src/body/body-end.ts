import type { Clock } from '@ebb/core';
import { responseIn } from '../response.ts';
import { whenComplete } from './message-complete.ts';
import { readAhead } from './read-ahead.ts';
import { isNodeReadable, isWebReadable } from './stream.ts';

/**
 * Calls `ended` when the connection no longer needs to carry the body of a response: at once if axios has read it,
 * otherwise when it has arrived (read or not), has failed, or was cancelled. May call it more than once.
 */
export function whenBodyEnds(settled: unknown, clock: Clock, ended: () => void): void {
  const response = responseIn(settled);
  const data: unknown = response?.data;
  if (isNodeReadable(data) && !data.destroyed && !data.readableEnded) {
    // A stream that fails also closes. An `error` listener would hide the error from a caller without one.
    data.on('end', ended);
    data.on('close', ended);
    whenComplete(data, response?.request, clock, ended);
  } else if (response !== undefined && isWebReadable(data) && !data.locked) {
    response.data = readAhead(data, ended);
  } else {
    ended();
  }
}
