// The platform of browsers, with the names of node.ts. Functions that do nothing are empty, so that minifiers drop their calls.
export { onAbort, sleepersOn } from './web-crowds.ts';
export { CODES, isUnsent, kindOfMessage } from './web-failures.ts';
export { immediatesNow, inNextTurn, inRealTime, keepAlive, letExit } from './web-timers.ts';
export { emit } from './web-warnings.ts';

/** Browsers have no `node:diagnostics_channel`. */
export function isSubscribed(_type: string): undefined {}

export function publish(_type: string, _event: unknown): void {}

/** A page sends few requests, and needs no faster stamp. */
export function makeStamp<T>(): WeakMap<object, T> {
  return new WeakMap();
}

export function keptByCopies(_result: object): undefined {}
