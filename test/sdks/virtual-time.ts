import { channel } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { install } from '@sinonjs/fake-timers';

/** SDKs start their own timers, so the globals themselves are virtual. Sockets and the event loop stay real. */
const clock = install({
  now: Date.UTC(2026, 10, 21, 12),
  shouldClearNativeTimers: true,
  toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
});

/** The jitter of the SDKs is half of its most. */
Math.random = () => 0.5;

AbortSignal.timeout = (delayMs) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new DOMException('timed out', 'TimeoutError')), delayMs);
  return controller.signal;
};

/** Sockets have timers of their own, which are real. */
ClientRequest.prototype.setTimeout = function (delayMs, listener) {
  if (listener !== undefined) this.once('timeout', listener);
  if (delayMs === 0) return this;
  const timer = setTimeout(() => this.emit('timeout'), delayMs);
  this.once('response', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  return this;
};

/** The requests of the clients that have no response yet. */
const underWay = new Set<object>();
const started = (message: unknown): void => void underWay.add((message as { request: object }).request);
const ended = (message: unknown): void => void underWay.delete((message as { request: object }).request);
for (const name of ['undici:request:create', 'http.client.request.start']) channel(name).subscribe(started);
for (const name of ['undici:request:headers', 'undici:request:error']) channel(name).subscribe(ended);
for (const name of ['http.client.response.finish', 'http.client.request.error'])
  channel(name).subscribe(ended);

/** Turns of the event loop without a request under way, after which only a timer can go on. */
const QUIET_TURNS = 12;
/** Longer than any wait of a row, in milliseconds. */
const PATIENCE_MS = 3_600_000;

/** Goes on to the next whole minute, because HTTP dates have no milliseconds, and returns the time. */
export function nextMinute(): number {
  clock.tick(60_000 - (Date.now() % 60_000));
  return Date.now();
}

/** How a call ended. */
export type Ending = { readonly value: unknown } | { readonly error: unknown };

/**
 * Settles a call in virtual time: whenever nothing moves, the next timer fires.
 *
 * @param isHeld true if the upstream holds a request back for good
 */
export async function settle(call: () => Promise<unknown>, isHeld: () => boolean): Promise<Ending> {
  const startedAt = Date.now();
  underWay.clear();
  let ending: Ending | undefined;
  call().then(
    (value) => {
      ending = { value };
    },
    (error: unknown) => {
      ending = { error };
    },
  );
  for (let quiet = 0; ending === undefined; ) {
    await nextTurn();
    quiet = underWay.size > 0 && !isHeld() ? 0 : quiet + 1;
    if (quiet < QUIET_TURNS) continue;
    quiet = 0;
    if (clock.countTimers() === 0 || Date.now() - startedAt > PATIENCE_MS) {
      ending = { error: new Error('the call does not end') };
    } else clock.next();
  }
  return ending;
}
