import { Readable } from 'node:stream';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import {
  adaptiveThrottle,
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  inspectBody,
  type Policy,
  type PolicyOptions,
  retry,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';
import { instrument } from '@ebb/opentelemetry';
import { resumable } from '@ebb/resume/undici';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import type { Span, Tracer } from '@opentelemetry/api';
import axios, { AxiosError, AxiosHeaders } from 'axios';
import fc from 'fast-check';
import { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { orderFault } from '../packages/testing/src/suite/grammar.ts';
import { runs } from './runs.ts';

// Every call of every client, aborted at any moment, has its events in order: one `end`, and each attempt with its own.

const URL_OF_ALL = 'http://upstream.test/';

/** How a send ends: a status after a time, a lost connection (0), or a body that breaks (1). */
const send = fc.record({
  ms: fc.constantFrom(0, 0, 1, 4, 20),
  ends: fc.constantFrom(200, 200, 404, 429, 503, 503, 0, 1),
});

const scenario = fc.record({
  client: fc.constantFrom('fetch', 'axios', 'undici', 'retry', 'hedged', 'resuming'),
  sends: fc.array(send, { minLength: 1, maxLength: 6 }),
  parts: fc.uniqueArray(
    fc.constantFrom(
      'bucket',
      'slot',
      'held throttle',
      'hook',
      'late hook',
      'failing hook',
      'inspect',
      'budget',
      'attempt timeout',
      'total timeout',
      'stop',
      'made body',
      'failing backoff',
      'no backoff',
    ),
    { maxLength: 4 },
  ),
  calls: fc.integer({ min: 1, max: 3 }),
  abort: fc.oneof(
    fc.record({ when: fc.constant('turns' as const), at: fc.nat(12) }),
    fc.record({ when: fc.constant('ms' as const), at: fc.nat(40) }),
    fc.record({ when: fc.constant('event' as const), at: fc.nat(12) }),
  ),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;
type Send = typeof send extends fc.Arbitrary<infer T> ? T : never;

class Lost extends Error {
  readonly code = 'ECONNRESET';
}

function optionsOf({ parts }: Scenario, clock: VirtualClock, stop: AbortController): PolicyOptions {
  const has = (name: Scenario['parts'][number]): boolean => parts.includes(name);
  const held = adaptiveThrottle();
  if (has('held throttle')) held.isolate();
  clock.schedule(() => held.close(), 6);
  if (has('stop')) clock.schedule(() => stop.abort(), 9);
  let asked = 0;
  const beforeAttempt = async () => {
    asked += 1;
    if (has('failing hook') && asked === 2) throw new Error('no token');
    if (has('late hook')) await clock.sleep(3);
    return { authorization: 'x' };
  };
  return {
    backoff: has('failing backoff') ? () => -1 : constant(has('no backoff') ? 0 : 2),
    maxRetries: 3,
    ...(has('bucket') && { bucket: tokenBucket({ refillPerSecond: 200, capacity: 1, clock }) }),
    ...(has('slot') && { concurrency: concurrencyLimit({ maxConcurrent: 1, clock }) }),
    ...(has('held throttle') && { throttle: held }),
    ...(has('hook') && { beforeAttempt: () => ({ authorization: 'x' }) }),
    ...((has('late hook') || has('failing hook')) && { beforeAttempt }),
    ...(has('inspect') && {
      inspect: inspectBody(async (response) => {
        await clock.sleep(1);
        return (await response.text()) === 'again' ? { verdict: 'refused' } : undefined;
      }),
    }),
    ...(has('budget') && { budget: retryBudget({ clock }) }),
    ...(has('attempt timeout') && { attemptTimeoutMs: 8 }),
    ...(has('total timeout') && { totalTimeoutMs: 15 }),
    ...(has('stop') && { stopSignal: stop.signal }),
    clock,
    random: () => 0,
    trustedOrigins: () => true,
  };
}

/** Waits for the time of a send, or its abort. */
async function pass(
  clock: VirtualClock,
  { ms }: Send,
  signal: AbortSignal | null | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  if (ms === 0) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = clock.schedule(resolve, ms);
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    await promise;
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}

function breaking(): ReadableStream<Uint8Array> {
  let pulls = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls += 1;
      if (pulls === 1) controller.enqueue(Buffer.from('id: 1\ndata: a\n\n'));
      else controller.error(new Lost('broken'));
    },
  });
}

const STREAM = { 'content-type': 'text/event-stream' };
const TEXT = { etag: '"a"', 'content-length': '5' };

type Call = (signal: AbortSignal, body: (() => Promise<string>) | undefined) => Promise<unknown>;

function fetchOf(next: () => Send, clock: VirtualClock) {
  return async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    const one = next();
    await pass(clock, one, init.signal);
    if (one.ends === 0) throw new TypeError('fetch failed', { cause: new Lost('reset') });
    if (one.ends === 1) return new Response(breaking(), { headers: STREAM });
    return new Response(one.ends === 404 ? 'no' : 'again', { status: one.ends });
  };
}

/** A dispatcher whose responses come by themselves. */
class Wire extends Dispatcher {
  readonly #next: () => Send;
  readonly #clock: VirtualClock;

  constructor(next: () => Send, clock: VirtualClock) {
    super();
    this.#next = next;
    this.#clock = clock;
  }

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const one = this.#next();
    const end = new AbortController();
    let isOver = false;
    const fail = (error: Error): void => {
      if (isOver) return;
      isOver = true;
      handler.onResponseError?.(controller, error);
    };
    const controller: Dispatcher.DispatchController = {
      aborted: false,
      paused: false,
      reason: null,
      rawHeaders: [],
      rawTrailers: [],
      pause() {},
      resume() {},
      abort(reason) {
        end.abort(reason);
        fail(reason);
      },
    };
    void (async () => {
      try {
        await null;
        handler.onRequestStart?.(controller, {});
        await pass(this.#clock, one, end.signal);
        if (one.ends === 0) throw new Lost('reset');
        const headers = one.ends === 1 ? TEXT : {};
        handler.onResponseStart?.(controller, one.ends === 1 ? 200 : one.ends, headers, '');
        handler.onResponseData?.(controller, Buffer.from(one.ends === 1 ? 'ab' : 'again'));
        await null;
        if (one.ends === 1) throw new Lost('broken');
        if (isOver) return;
        isOver = true;
        handler.onResponseEnd?.(controller, {});
      } catch (error) {
        fail(error as Error);
      }
    })();
    return true;
  }
}

function callOf(client: Scenario['client'], policy: Policy, next: () => Send, clock: VirtualClock): Call {
  if (client === 'retry') {
    return (signal) =>
      retry(
        async ({ signal: own }) => {
          const one = next();
          await pass(clock, one, own);
          if (one.ends < 400 && one.ends > 1) return 'up';
          throw Object.assign(new Error('down'), { status: one.ends });
        },
        policy,
        { signal },
      );
  }
  if (client === 'axios') {
    const instance = axios.create({
      adapter: async (config) => {
        const one = next();
        await pass(clock, one, config.signal as AbortSignal | undefined);
        if (one.ends < 2) throw new AxiosError('reset', 'ECONNRESET', config);
        const response = {
          data: 'up',
          status: one.ends,
          statusText: '',
          headers: new AxiosHeaders(),
          config,
        };
        if (one.ends < 400) return response;
        throw new AxiosError('no', 'ERR_BAD_REQUEST', config, {}, response);
      },
    });
    instance.interceptors.request.use(ebbAxios(policy));
    return (signal, body) =>
      instance.request({ url: URL_OF_ALL, signal, method: 'put', data: body ?? 'text' });
  }
  if (client === 'undici' || client === 'resuming') {
    const inner = new Wire(next, clock).compose(ebbUndici(policy));
    const dispatcher = client === 'undici' ? inner : inner.compose(resumable({ policy }));
    return async (signal, body) => {
      const sent =
        body === undefined ? {} : { method: 'PUT', body: async () => Readable.from([await body()]) };
      const response = await dispatcher.request({
        origin: URL_OF_ALL,
        path: '/',
        signal,
        method: 'GET',
        ...sent,
      } as never);
      return (response as Dispatcher.ResponseData).body.text();
    };
  }
  const base = fetchOf(next, clock);
  const fetch = createFetch(policy, client === 'hedged' ? hedged(base, { policy, delayMs: 3 }) : base);
  return async (signal, body) => {
    const response = await fetch(URL_OF_ALL, { signal, ...(body && { method: 'PUT', body }) } as never);
    return response.text();
  };
}

/** A tracer that counts the spans that are open. */
function countingTracer(): { readonly tracer: Tracer; open: number } {
  const count = {
    open: 0,
    tracer: {
      startSpan(): Span {
        count.open += 1;
        const span: Record<string, unknown> = {};
        for (const name of ['setAttribute', 'setAttributes', 'addEvent', 'setStatus'])
          span[name] = () => span;
        span.end = () => {
          count.open -= 1;
        };
        span.spanContext = () => ({
          traceId: '1'.repeat(32),
          spanId: '1'.repeat(16),
          traceFlags: 1,
        });
        return span as unknown as Span;
      },
    } as unknown as Tracer,
  };
  return count;
}

async function play(given: Scenario): Promise<void> {
  const { client, sends, calls, abort, parts } = given;
  const clock = virtualClock({ startMs: 0 });
  const stop = new AbortController();
  const caller = new AbortController();
  const events: EbbEvent[] = [];
  const spans = countingTracer();
  const onEvent = (event: EbbEvent): void => {
    events.push(event);
    if (abort.when === 'event' && events.length === abort.at + 1) caller.abort(new Error('enough'));
  };
  const options = { ...optionsOf(given, clock, stop), onEvent };
  const policy = instrument(createPolicy(options), { tracer: spans.tracer, meter: false });
  let sent = 0;
  const next = (): Send => {
    sent += 1;
    return sends[(sent - 1) % sends.length] as Send;
  };
  const call = callOf(client, policy, next, clock);
  const body = parts.includes('made body') ? () => clock.sleep(1).then(() => 'text') : undefined;
  let open = calls;
  if (abort.when === 'ms') clock.schedule(() => caller.abort(new Error('enough')), abort.at);
  for (let at = 0; at < calls; at += 1) {
    const settled = (): void => {
      open -= 1;
    };
    call(caller.signal, body).then(settled, settled);
  }
  // Some turns more: undici closes a connection after its caller has been told.
  let left = 5;
  for (let turn = 0; turn < 400 && left > 0; turn += 1) {
    if (open === 0 && clock.pending === 0) left -= 1;
    if (abort.when === 'turns' && turn === abort.at) caller.abort(new Error('enough'));
    await nextTurn();
    if (turn % 2 === 1 && clock.nextAtMs !== undefined) clock.tick(clock.nextAtMs - clock.now());
  }
  expect({ open, fault: orderFault(events), spans: spans.open }).toEqual({
    open: 0,
    fault: undefined,
    spans: 0,
  });
}

const RUNS = process.env.EBB_LONG === '1' ? 100_000 : runs(1_000);

test(
  `the events of ${RUNS} calls that are aborted at any moment are in order, and no span stays open`,
  async () => {
    await fc.assert(fc.asyncProperty(scenario, play), { numRuns: RUNS });
  },
  RUNS * 150,
);
