import { inNextTurn } from '../base/clock.ts';
import { responseHeader } from '../http/any-headers.ts';
import { isNodeReadable, isWebReadable, type NodeReadable } from '../http/body.ts';
import { MOST_READ_AHEAD_BYTES } from '../http/ceilings.ts';
import { interceptorOf, nativeBody, nativeClone } from './intercept-body.ts';
import { readAhead } from './keep.ts';
import { type BodyUse, WatchedBody } from './watched-body.ts';

/** An unread body is checked so long after its response, in milliseconds. */
const CHECK_AFTER_MS = 1_000;

/** The longest time for which a body is waited for whose reading cannot be observed, in milliseconds. */
const LONGEST_UNOBSERVED_MS = 60_000;

/** The uses of the bodies that arrived in this turn of the event loop. */
const arrived: BodyUse[] = [];

/** Ends the use of a body that is not read, when it has arrived or was garbage-collected. */
export function watchUnread(use: BodyUse): void {
  // Most bodies are read at once, and one turn for all takes less than a timer for each. It is asked for again now and
  // then: a turn can be lost, with fake timers or with the request of a worker.
  if (arrived.push(use) % 8 === 1) inNextTurn(lookAtAll);
}

function lookAtAll(): void {
  for (const use of arrived.splice(0)) look(use);
}

/** In the turn after the response. */
function look(use: BodyUse): void {
  use.isNew = false;
  const unread = use.held?.find(isUnread) as Response | undefined;
  try {
    if (unread === undefined) {
      use.letGo();
      return;
    }
    const body = nativeBody(unread);
    if (isNodeReadable(body)) whenNodeBodyEnds(body, use);
    else if (!isWebReadable(body) || responseHeader(unread.headers, 'content-length') === '0') use.end();
    // The body of an error is often short and left unread.
    else if (unread.status >= 400) check(use);
    else use.onEnd(use.clock.schedule(() => check(use), CHECK_AFTER_MS, true));
  } catch {
    // A mock whose members throw has no connection.
    use.end();
  }
}

/** False if it is being read, as far as that can be observed. */
function isUnread(response: object): boolean {
  const interceptor = interceptorOf(response as Response);
  return !(interceptor instanceof WatchedBody && interceptor.isRead);
}

/** Checks whether an unread body has arrived. */
function check(use: BodyUse): void {
  for (const response of use.letGo().filter(isUnread)) {
    if (!use.isOver) checkUnread(response as Response, use);
  }
}

/** Hazard: nothing that stays may hold the response, which could then never be garbage-collected. */
function checkUnread(response: Response, use: BodyUse): void {
  const isLong = Number(responseHeader(response.headers, 'content-length') ?? 0) > MOST_READ_AHEAD_BYTES;
  const body = nativeBody(response) as ReadableStream;
  if (response.bodyUsed || body.locked) {
    // Something reads the native body, such as a server that returns the response.
    if (isLong) use.onEnd(use.clock.schedule(() => use.end(), LONGEST_UNOBSERVED_MS, true));
    else use.end();
  } else if (!isLong && use.stopReadingAhead === undefined) {
    const copy = nativeClone(response);
    if (copy !== undefined) readCopy(copy, use);
  }
}

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

/** The longest time for reading ahead, in milliseconds. */
const LONGEST_READ_AHEAD_MS = 5_000;

/**
 * Reads a clone of a response whose body is not being read. If it reaches the end within bounds, the connection is free,
 * and the use of the body ends; otherwise nothing changes. The response itself can still be read.
 *
 * Hazard: this must not hold the response, which could then never be garbage-collected.
 */
function readCopy(copy: Response, use: BodyUse): void {
  const stop = readAhead(copy.body, use.clock, LONGEST_READ_AHEAD_MS, () => use.end());
  // An abort ends the body by itself. In Node 22, cancelling a branch of it before that causes a rejection that cannot
  // be handled.
  use.stopReadingAhead = () => (use.isOver ? inNextTurn(stop) : stop());
}
