import {
  adaptiveThrottle,
  concurrencyLimit,
  constant,
  createPolicy,
  type PolicyOptions,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';
import { observe, telemetry } from '@ebb/opentelemetry';
import { resumable } from '@ebb/resume/fetch';
import { valkeyBucket, valkeyBudget } from '@ebb/valkey';
import type { Meter } from '@opentelemetry/api';

// A program that is never well: every kind of event happens again and again, so that every metric of ebb moves.

const URL_OF_ALL = 'http://upstream.test/';

/** A service that answers with these in turn. */
function service(...answers: readonly (() => Response | Promise<Response>)[]) {
  let sends = 0;
  return async (): Promise<Response> => {
    const answer = answers[sends % answers.length] as () => Response;
    sends += 1;
    return answer();
  };
}

const status = (code: number) => (): Response => new Response('', { status: code });

const lost = (): never => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
};

/** Half of a stream; it can be resumed if it has an id. */
const half = (id: string) => (): Response => {
  const parts = [new TextEncoder().encode(`${id}data: a\n\n`)];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.pop();
      if (part === undefined) controller.error(new TypeError('terminated'));
      else controller.enqueue(part);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

const after = (delayMs: number) => (): Promise<Response> =>
  new Promise((resolve) => setTimeout(() => resolve(new Response()), delayMs).unref());

const whole = (): Response =>
  new Response('id: 2\ndata: b\n\n', { headers: { 'content-type': 'text/event-stream' } });

/** A store that is down. */
const down = async (): Promise<never> => Promise.reject(new Error('ECONNREFUSED'));
const store = {
  client: { evalsha: down, eval: down },
  timeoutMs: 50,
  retryMs: 100,
  onStoreEvent: () => undefined,
};

/** Goes on until it is closed. */
export function busy(meter: Meter): AsyncDisposable {
  const onEvent = telemetry({ meter, tracer: false });
  const client = (options: PolicyOptions, base: () => Promise<Response>) =>
    createFetch({ backoff: constant(1), onEvent, ...options }, base);

  const bucket = tokenBucket({ capacity: 1, refillPerSecond: 50 });
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const budget = retryBudget();
  const shared = {
    bucket: valkeyBucket({ ...store, key: 'quota', refillPerSecond: 100, localShare: 0.5 }),
    budget: valkeyBudget({ ...store, key: 'retries' }),
  };
  const held = adaptiveThrottle();
  const never = after(60_000);
  const hedges = { delayMs: 1, share: 1 };
  const hedging = createPolicy({ onEvent, maxRetries: 0 });
  const full = createPolicy({ onEvent, maxRetries: 0, concurrency: concurrencyLimit({ maxConcurrent: 1 }) });
  const resumed = createPolicy({ onEvent, backoff: constant(1) });

  const calls: readonly (() => Promise<unknown>)[] = [
    client({ throttle: held, maxRetries: 1 }, service(status(200))),
    client({ bucket, budget }, service(status(503), status(200), lost, status(200))),
    client({ bucket, budget }, service(status(429), status(200), status(404))),
    client({ concurrency }, after(5)),
    client({ concurrency }, after(5)),
    client({ bucket: tokenBucket({ refillPerSecond: 0.1, nonConforming: 'mark' }) }, service(status(200))),
    client(shared, service(status(503), status(200))),
    // A hedge that wins, one that loses, and one that lacks its slot.
    createFetch(
      hedging,
      hedged(service(never, status(200), after(10), never), { ...hedges, policy: hedging }),
    ),
    createFetch(full, hedged(after(10), { ...hedges, policy: full })),
    resumable(createFetch(resumed, service(half('id: 1\n'), whole, half(''))), { policy: resumed }),
  ].map((fetch) => async () => (await fetch(URL_OF_ALL)).text());

  observe({ bucket, concurrency, budget, throttle: held, meter, attributes: { 'peer.service': 'orders' } });
  observe({ ...shared, meter, attributes: { 'peer.service': 'stock' } });

  let isOpen = true;
  // Each goes its own way: some wait.
  const loops = calls.map(async (call, at) => {
    for (let round = 0; isOpen; round += 1) {
      if (at === 0 && round % 2 === 0) held.isolate();
      else if (at === 0) held.close();
      if (at === 1 && round % 3 === 0) bucket.pauseFor(5);
      await call().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      isOpen = false;
      await Promise.all(loops);
      await Promise.all([shared.bucket.close(), shared.budget.close()]);
    },
  };
}
