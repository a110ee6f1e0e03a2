import type { NodeReadable } from '../../http/body.ts';
import type { BodyUse } from './body-use.ts';

/** How often a stream is checked, in milliseconds. */
const CHECK_EVERY_MS = 1_000;

/** True if all bytes have arrived, read or not. */
function hasArrived(body: NodeReadable): boolean {
  return (
    body.destroyed === true ||
    body.readableEnded === true ||
    body.writableEnded === true ||
    body.complete === true
  );
}

/** Ends the use of a Node stream, the body type of node-fetch, when it has arrived, was closed or was garbage-collected. */
export function whenNodeBodyEnds(body: NodeReadable, use: BodyUse): void {
  const end = (): void => use.end();
  // No listener for 'error', which would hide an error that the caller does not handle: a failed stream also closes.
  body.on('end', end);
  body.on('close', end);
  use.letGo();
  const held = new WeakRef(body);
  let cancelTimer: (() => void) | undefined;
  use.onEnd(() => cancelTimer?.());
  // A stream has no event for "arrived, but not read".
  const check = (): void => {
    const stream = held.deref();
    if (use.isOver || stream === undefined) return;
    if (hasArrived(stream)) use.end();
    else cancelTimer = use.clock.schedule(check, CHECK_EVERY_MS, true);
  };
  check();
}
