import { worker } from '#worker';
import { inNextTurn } from '../base/clock.ts';
import { onAbort } from '../base/signals.ts';
import type { Clock } from '../base/time.ts';
import { type BodyContext, isNodeReadable, isWebReadable, type NodeReadable } from '../http/body.ts';
import { MOST_READ_AHEAD_BYTES, responseHeader } from '../http/headers.ts';
import { BodyUse } from './body-use.ts';
import { readAhead } from './keep.ts';
import {
  isOfWatchedClass,
  nativeBody,
  nativeClone,
  watchedBodyOf,
  watchResponse,
} from './watched-response.ts';

/** True if there is no body by definition: some runtimes have a stream even then. */
function isEmpty({ method, status }: BodyContext): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304;
}

/**
 * Calls `ended` once the body of a response no longer uses its connection: when it has ended, failed, was cancelled or
 * garbage-collected; at once if there is no body. The response stays the same object. May call it more than once.
 */
export function whenBodyEnds(settled: unknown, context: BodyContext, ended: () => void): void {
  try {
    watch(settled as Response, context, ended);
  } catch {
    // A value that is no response has no connection, nor has a mock whose members throw.
    ended();
  }
}

function watch(response: Response, context: BodyContext, ended: () => void): void {
  const { signal } = context;
  const isLikely = isOfWatchedClass(response);
  // A base fetch may return the same response twice.
  const earlier = isLikely ? undefined : watchedBodyOf(response)?.use;
  if (earlier !== undefined || signal?.aborted || isEmpty(context)) {
    if (earlier === undefined) ended();
    else earlier.onEnd(ended);
    return;
  }
  const isWeb = isLikely || isWebReadable(response.body);
  const use = new BodyUse(response, context, ended);
  // An abort closes the connection, whether or not the body is being read.
  if (signal !== undefined) use.onEnd(onAbort(signal, () => use.end()));
  if (isWeb) {
    watchResponse(response, use);
    watchUnread(use);
  } else endWithNode(response.body, use);
}

/** Ends the use of a node-fetch body when the body has arrived; at once for anything else. Hazard: the wait must not hold the response. */
function endWithNode(body: unknown, use: BodyUse): void {
  use.held = undefined;
  if (isNodeReadable(body)) whenArrived(body, undefined, use.clock, () => use.end());
  else use.end();
}

/** The time from a response to the check of its unread body, in milliseconds. */
const CHECK_AFTER_MS = 1_000;

/** The longest wait for a body whose reading cannot be observed, in milliseconds. */
const LONGEST_UNOBSERVED_MS = 60_000;

/** The uses of the bodies that arrived in this turn of the event loop. */
const arrived: BodyUse[] = [];

/** Ends the use of a body that is not read, when it has arrived or was garbage-collected. */
function watchUnread(use: BodyUse): void {
  // Most bodies are read at once, and one turn for all takes less than a timer for each. It is asked for again now and
  // then: a turn can be lost, with fake timers.
  if (worker) inNextTurn(() => look(use));
  else if (arrived.push(use) % 8 === 1) inNextTurn(lookAtAll);
}

function lookAtAll(): void {
  for (const use of arrived.splice(0)) look(use);
}

/** False if it is being read, as far as that can be observed. */
function isUnread(response: Response): boolean {
  return watchedBodyOf(response)?.isRead !== true;
}

/** In the turn after the response. */
function look(use: BodyUse): void {
  const unread = use.held?.find(isUnread);
  try {
    if (unread === undefined) use.letGo();
    else if (!isWebReadable(nativeBody(unread))) endWithNode(nativeBody(unread), use);
    else if (responseHeader(unread.headers, 'content-length') === '0') use.end();
    // The body of an error is often short and left unread.
    else if (unread.status >= 400) check(use);
    else use.onEnd(use.clock.schedule(() => check(use), CHECK_AFTER_MS, true));
  } catch {
    // A mock whose members throw has no connection.
    use.end();
  }
}

/** Checks whether an unread body has arrived. */
function check(use: BodyUse): void {
  for (const response of use.letGo().filter(isUnread)) {
    if (!use.isOver) checkUnread(response, use);
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
  // An abort ends the body by itself. In Node 22, cancelling a branch of the body before the abort causes a rejection that cannot
  // be handled.
  use.stopReadingAhead = () => (use.isOver ? inNextTurn(stop) : stop());
}

/** How often unread bodies are checked, in milliseconds. */
const POLL_MS = 250;

/** A stream that brings a body. The `complete` of Node's `IncomingMessage` is true once the last byte has been received, read or not. */
type BodySource = Pick<NodeReadable, 'complete' | 'destroyed' | 'readableEnded' | 'writableEnded'>;

/** A destroyed stream, for example after its connection broke, will not become complete. */
function isOver({ complete, destroyed, readableEnded, writableEnded }: BodySource): boolean {
  return [complete, destroyed, readableEnded, writableEnded].includes(true);
}

/**
 * Node has no event for the arrival of a body that is not read. The reference is weak, so that a body dropped by the caller can
 * be collected.
 */
function poll(body: WeakRef<BodySource>, clock: Clock, ended: () => void): void {
  const arriving = body.deref();
  if (arriving === undefined || isOver(arriving)) ended();
  else clock.schedule(() => poll(body, clock, ended), POLL_MS, true);
}

/**
 * Calls `ended` when the body of a Node stream no longer needs its connection: when it has arrived, read or not, has failed, or
 * was garbage-collected. May call it more than once.
 *
 * @param source the message behind a stream that decompresses or counts, if it is known
 */
export function whenArrived(stream: NodeReadable, source: unknown, clock: Clock, ended: () => void): void {
  // A stream that fails also closes. An `error` listener would hide the error from a caller without one.
  stream.on('end', ended);
  stream.on('close', ended);
  const messages = [stream, source] as (BodySource | null | undefined)[];
  const body = messages.find((one) => typeof one?.complete === 'boolean') ?? stream;
  if (isOver(body)) {
    ended();
    return;
  }
  // Most short bodies arrive with the headers or right after them.
  const weak = new WeakRef(body);
  inNextTurn(() => poll(weak, clock, ended));
}
