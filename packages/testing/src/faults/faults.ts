import { check } from '@ebb/core/bucket';
import { seededRandom } from '@ebb/core/testing';
import { readScenario } from './read-scenario.ts';
import type { FaultScenario } from './scenario.ts';
import { type Answer, Job, OK, Service } from './service.ts';

/** A base fetch. See {@link faults}. */
export interface FaultyFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** The number of requests that were sent, refused requests included. */
  readonly sent: number;
}

/** The error that Node's fetch rejects with. */
function fetchError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

function responseTo(status: number, retryAfterSeconds: number | undefined): Response {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return new Response(null, { status, headers });
}

/** Which of so many shards a URL belongs to. Source: FNV-1a, 32 bits. */
function shardOf(url: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < url.length; at += 1) hash = Math.imul(hash ^ url.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}

/**
 * A base fetch for tests, which sends nothing: it behaves like a service with workers, a queue, and troubles: an outage, errors, a
 * loss of capacity, a full queue. Give it to `createFetch`, and see what becomes of your policy.
 *
 * Time is that of its `clock`: in virtual time minutes of trouble take no time, and the same seed gives the same answers. The
 * service does not learn that a client has given up, and works on. If no client waits for it, no timer is left.
 *
 * @param seed of all that is drawn: times to serve, stragglers, errors
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { adaptiveThrottle, createPolicy } from '@ebb/core';
 * import { virtualClock } from '@ebb/core/testing';
 * import { createFetch } from '@ebb/fetch';
 * import { faults } from '@ebb/testing/faults';
 *
 * const clock = virtualClock();
 * const silence = { type: 'outage', answer: 'silence', fromMs: 0, untilMs: 5_000 } as const;
 * const service = faults({ workers: 10, serviceMs: 20, troubles: [silence], clock }, 1);
 * const fetch = createFetch(createPolicy({ attemptTimeoutMs: 1_000, throttle: adaptiveThrottle(), clock }), service);
 * ```
 */
export function faults(scenario: FaultScenario, seed = 1): FaultyFetch {
  const setup = readScenario(scenario);
  check.finite('faults: seed', seed);
  const { clock, respond } = setup;
  const startMs = clock.now();
  const services = Array.from(
    { length: setup.shards },
    (_, shard) => new Service(setup, shard, seededRandom(seed + shard), startMs),
  );
  /** Clients that wait for an answer. */
  let waiting = 0;
  let sent = 0;
  let timerAtMs = Number.POSITIVE_INFINITY;
  let cancel: (() => void) | undefined;

  /** Sets a single timer for the next event of all services, while a client waits. */
  const arm = (): void => {
    let nextAtMs = Number.POSITIVE_INFINITY;
    if (waiting > 0) for (const service of services) nextAtMs = Math.min(nextAtMs, service.nextAtMs);
    if (nextAtMs === timerAtMs) return;
    cancel?.();
    timerAtMs = nextAtMs;
    cancel =
      nextAtMs < Number.POSITIVE_INFINITY
        ? clock.schedule(wake, nextAtMs - clock.now(), false, true)
        : undefined;
  };
  const wake = (): void => {
    timerAtMs = Number.POSITIVE_INFINITY;
    cancel = undefined;
    for (const service of services) service.advance(clock.now());
    arm();
  };

  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = typeof input === 'object' && 'url' in input ? input : undefined;
    const signal = init?.signal === undefined ? request?.signal : init.signal;
    return new Promise((resolve, reject) => {
      // As fetch does: nothing is sent.
      if (signal?.aborted) return reject(signal.reason);
      let isWaiting = true;
      const leave = (): void => {
        if (isWaiting) waiting -= 1;
        isWaiting = false;
      };
      const forget = (): void => signal?.removeEventListener('abort', abort);
      const abort = (): void => {
        leave();
        arm();
        forget();
        reject((signal as AbortSignal).reason);
      };
      const settle = (answer: Answer): void => {
        if (!isWaiting) return;
        leave();
        if (respond !== undefined && answer === OK) {
          // Not now: it may send a request to this service.
          const made = Promise.resolve().then(() => respond(input, init));
          made.finally(forget).then(resolve, reject);
          return;
        }
        forget();
        if ('code' in answer) reject(fetchError(answer.code));
        else resolve(responseTo(answer.status, answer.retryAfterSeconds));
      };
      sent += 1;
      waiting += 1;
      signal?.addEventListener('abort', abort);
      const shard = services.length === 1 ? 0 : shardOf(request?.url ?? String(input), services.length);
      (services[shard] as Service).receive(new Job(settle), clock.now());
      arm();
    });
  };
  return Object.defineProperty(fetch, 'sent', { get: () => sent, enumerable: true }) as FaultyFetch;
}
