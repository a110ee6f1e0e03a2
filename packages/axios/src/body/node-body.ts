import type { Clock } from '@ebb/core';
import { isNodeReadable, whenArrived } from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';

// The bodies of Node's streams, which axios's http adapter and some custom ones respond with.

/** Calls `ended` when a Node stream has arrived, read or not, or has failed; false if there is none under way. */
export function whenNodeBodyEnds(
  response: AxiosResponse | undefined,
  clock: Clock,
  ended: () => void,
): boolean {
  const data: unknown = response?.data;
  if (!isNodeReadable(data) || data.destroyed || data.readableEnded) return false;
  whenArrived(data, response?.request?.res, clock, ended);
  return true;
}

/** Closes an upload when the response closes, if that is a Node stream; false for anything else. */
export function closeWith(data: unknown, close: () => void): boolean {
  if (!isNodeReadable(data)) return false;
  data.on('close', close);
  return true;
}
