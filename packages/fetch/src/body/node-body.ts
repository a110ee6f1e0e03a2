import type { Clock } from '@ebb/core';
import type { BodyUse, Branch } from './body-use.ts';
import type { NodeReadable } from './kinds.ts';
import { delaysOn } from './shared-timer.ts';

const collected = /* @__PURE__ */ new FinalizationRegistry((branch: Branch) => branch.giveUp());

/** Whether it has all that will come, read or not. */
function hasArrived(body: NodeReadable): boolean {
  return (
    body.destroyed === true ||
    body.readableEnded === true ||
    body.writableEnded === true ||
    body.complete === true
  );
}

/** Ends the use of a Node stream, which node-fetch has as its body, when that has arrived or was given up. */
export function whenNodeBodyEnds(body: NodeReadable, clock: Clock, use: BodyUse): void {
  const end = (): void => use.end();
  // A stream that fails closes. To listen for its error would hide that from a caller who does not.
  body.on('end', end);
  body.on('close', end);
  collected.register(body, use.branch());
  const held = new WeakRef(body);
  let callOff: (() => void) | undefined;
  use.also(() => callOff?.());
  // Nothing tells that a stream has all that will come while no one reads it.
  const look = (): void => {
    const stream = held.deref();
    if (use.isOver || stream === undefined) return;
    if (hasArrived(stream)) use.end();
    else callOff = delaysOn(clock).look.add(look);
  };
  look();
}
