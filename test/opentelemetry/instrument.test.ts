import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  constant,
  createPolicy,
  type EbbEvent,
  type PolicyOptions,
  type RequestTraits,
  retry,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';
import { instrument, type TelemetryOptions } from '@ebb/opentelemetry';
import { context, metrics, propagation, SpanKind, type TextMapPropagator, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NOW } from '../../packages/testing/src/suite/play.ts';
import { type Step, upstream } from '../server.ts';
import { followContexts, type Recorder, recorder } from './recorder.ts';
import { senders } from './senders.ts';

/** The propagator of the SDK, which is a dependency of it. */
const { W3CTraceContextPropagator } = createRequire(
  createRequire(import.meta.url).resolve('@opentelemetry/sdk-trace'),
)('@opentelemetry/core') as { W3CTraceContextPropagator: new () => TextMapPropagator };

let stopFollowing: () => void;
beforeAll(() => {
  stopFollowing = followContexts();
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterAll(() => {
  stopFollowing();
  propagation.disable();
});

let record: Recorder;
beforeEach(() => {
  record = recorder();
});
afterEach(() => record.close());

const down: Step = { status: 503, body: 'down' };
const ok: Step = { status: 200, body: 'up' };
const FOREIGN = '00-11111111111111111111111111111111-2222222222222222-01';

/** The spans: name, kind, and name of the parent. */
const tree = (): string[] => record.told(NOW).map(({ name, kind, parent }) => `${name} ${kind} < ${parent}`);

/** What the server was sent as `traceparent` if each request carried the span of one of these, in order. */
function parentsOf(name: string): string[] {
  return record
    .spans()
    .filter((span) => span.name === name)
    .map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`);
}

/** An instrumentation of undici, as far as it concerns spans and headers. `addHeader` adds a second one of a name. */
function instrumentUndici(): () => void {
  const created = channel('undici:request:create');
  const onCreate = (message: unknown): void => {
    const { request } = message as { request: { addHeader(name: string, value: string): void } };
    const span = record.sdk.tracer.startSpan('sent', { kind: SpanKind.CLIENT });
    const headers: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), span), headers);
    for (const [name, value] of Object.entries(headers)) request.addHeader(name, value);
    span.end();
  };
  created.subscribe(onCreate);
  return () => created.unsubscribe(onCreate);
}

describe.each(Object.entries(senders))('%s', (who, send) => {
  /** Sends one request, and returns the values of `traceparent` that arrived. */
  async function sent(
    options: PolicyOptions = {},
    telemetry: TelemetryOptions = {},
    headers: Record<string, string> = {},
  ): Promise<unknown[]> {
    const server = await upstream([down, ok]);
    const policy = instrument({ backoff: constant(0), ...options }, { ...record.sdk, ...telemetry });
    await send(policy, server.url, { headers });
    await server.close();
    return server.seen.map((seen) => seen.headers.traceparent);
  }

  test('each attempt carries its own span', async () => {
    expect(await sent()).toEqual(parentsOf('GET'));
    expect(tree()).toEqual([
      'ebb.request INTERNAL < undefined',
      ...Array(2).fill('GET CLIENT < ebb.request'),
    ]);
  });

  test('a traceparent of the caller stays', async () => {
    expect(await sent({}, {}, { traceparent: FOREIGN })).toEqual([FOREIGN, FOREIGN]);
  });

  test.each<[what: string, changes: () => unknown]>([
    ['an object', () => ({ TraceParent: FOREIGN, 'x-own': 'a' })],
    ['a promise', async () => ({ traceparent: FOREIGN })],
    ['Headers', () => new Headers({ traceparent: FOREIGN })],
  ])("headers of the user's own beforeAttempt win: %s", async (_, changes) => {
    expect(await sent({ beforeAttempt: changes as never, trustedOrigins: () => true })).toEqual([
      FOREIGN,
      FOREIGN,
    ]);
  });

  test("the user's own hooks and observer are called, and their spans belong to the request", async () => {
    const seen: string[] = [];
    const arrived = await sent({
      onEvent: ({ type }) => void seen.push(type),
      trustedOrigins: () => true,
      beforeAttempt: ({ attempt }) => {
        record.sdk.tracer.startSpan('token').end();
        seen.push(`before ${attempt}`);
        return undefined;
      },
      wrapAttempt: (go, { attempt }) => {
        seen.push(`around ${attempt}`);
        return go();
      },
    });
    expect(arrived).toEqual(parentsOf('GET'));
    const each = (attempt: number): unknown[] => ['attempt', `before ${attempt}`].toSorted();
    expect([seen.slice(0, 2).toSorted(), seen.slice(2, 4)]).toEqual([each(1), ['around 1', 'retry']]);
    expect([seen.slice(4, 6).toSorted(), seen.slice(6)]).toEqual([each(2), ['around 2', 'end']]);
    expect(tree().filter((line) => line.startsWith('token'))).toEqual(
      Array(2).fill('token INTERNAL < ebb.request'),
    );
  });

  test('without spans nothing is sent', async () => {
    expect(await sent({}, { tracer: false })).toEqual([undefined, undefined]);
  });

  // axios goes over node:http here, which has no such channel.
  if (who === 'axios') return;
  describe('beside an instrumentation of the client', () => {
    let stop: () => void;
    beforeEach(() => {
      stop = instrumentUndici();
    });
    afterEach(() => stop());

    test('an attempt has one CLIENT span, and one header', async () => {
      expect(await sent()).toEqual(parentsOf('GET'));
      expect(tree()).toEqual([
        'ebb.request INTERNAL < undefined',
        ...Array(2).fill('GET CLIENT < ebb.request'),
      ]);
    });

    test('with attemptSpans: false the instrumentation has the span and the header', async () => {
      expect(await sent({}, { attemptSpans: false })).toEqual(parentsOf('sent'));
      expect(tree().toSorted()).toEqual([
        'ebb.request INTERNAL < undefined',
        ...Array(2).fill('sent CLIENT < ebb.request'),
      ]);
    });
  });
});

test('what a function of retry does is below its attempt', async () => {
  const policy = instrument({}, record.sdk);
  await retry(async () => {
    await Promise.resolve();
    record.sdk.tracer.startSpan('query').end();
  }, policy);
  expect(tree().toSorted()).toEqual([
    'ebb.attempt INTERNAL < ebb.request',
    'ebb.request INTERNAL < undefined',
    'query INTERNAL < ebb.attempt',
  ]);
});

describe('an attempt that waits after its headers were made', () => {
  const request: RequestTraits = {
    method: 'get',
    url: 'http://upstream.test/',
    header: () => undefined,
    replayable: true,
  } as never;
  const reported = { method: 'GET', url: request.url };
  const next = (attempt: number) => ({ attempt, request, previous: undefined, leftMs: undefined });
  const outcome = { type: 'response', status: 503 } as const;

  /** Plays hooks and events of one request at these times, in milliseconds. */
  async function play(
    ...steps: (readonly [atMs: number, attempt: number, type: 'before' | EbbEvent['type']])[]
  ) {
    const clock = virtualClock({ startMs: NOW });
    const { onEvent, plugins: [trace] = [] } = instrument({ clock }, record.sdk);
    for (const [atMs, attempt, type] of steps) {
      await clock.advance(NOW + atMs - clock.now());
      if (type === 'before') trace?.publicHeaders?.(next(attempt), {} as never);
      else {
        const event = {
          type,
          attempt,
          request: reported,
          atMs: NOW + atMs,
          outcome,
          delayMs: 1,
          reason: 'refused',
        };
        // As core does it.
        Object.defineProperty(event, Symbol.for('@ebb/core details'), { value: { request } });
        onEvent?.(event as never);
      }
    }
    return record.told(NOW).map(({ name, fromMs, toMs, events }) => [name, fromMs, toMs, ...events]);
  }

  test('has a span from the send on', async () => {
    expect(await play([0, 1, 'before'], [500, 1, 'attempt'], [700, 1, 'end'])).toEqual([
      ['ebb.request', 0, 700],
      ['GET', 500, 700],
    ]);
  });

  test('has none if it is never sent', async () => {
    const steps = [
      [0, 1, 'attempt'],
      [10, 1, 'retry'],
      [20, 2, 'before'],
      [500, 1, 'end'],
    ] as const;
    expect((await play(...steps)).map(([name, , toMs]) => [name, toMs])).toEqual([
      ['ebb.request', 500],
      ['GET', 10],
    ]);
  });
});

test('the scope has the version of the package', async () => {
  trace.setGlobalTracerProvider(record.traces);
  metrics.setGlobalMeterProvider(record.metrics);
  const server = await upstream([ok]);
  await (await createFetch(instrument())(server.url)).text();
  await server.close();
  trace.disable();
  metrics.disable();
  const { version } = JSON.parse(readFileSync('packages/opentelemetry/package.json', 'utf8'));
  const scopes = record.spans().map(({ instrumentationScope: { name, version: of } }) => `${name} ${of}`);
  expect(scopes).toEqual(Array(2).fill(`@ebb/opentelemetry ${version}`));
});

test.each<[call: () => unknown, message: string]>([
  [() => instrument({ retries: 1 } as never), 'createPolicy has no option "retries"'],
  [() => instrument({}, { tracer: 5 as never }), 'instrument: tracer must be a Tracer or false, got 5'],
])('a wrong option: %#', (call, message) => {
  expect(call).toThrow(message);
});

test('a hedge is an event of its attempt, and has no span', async () => {
  const policy = createPolicy(instrument({ maxRetries: 0 }, record.sdk));
  let sends = 0;
  const base = (): Promise<Response> => {
    sends += 1;
    return sends === 1 ? new Promise(() => undefined) : Promise.resolve(new Response('hedge'));
  };
  const response = await createFetch(policy, hedged(base, { policy, delayMs: 1 }))('http://upstream.test/');
  expect(await response.text()).toBe('hedge');
  const told = record
    .told(0)
    .map(({ name, events }) => [name, events.map((event) => event.replace(/^(ebb\.hedge) \S+/, '$1'))]);
  expect(told).toEqual([
    ['ebb.request', []],
    ['GET', ['ebb.hedge won']],
  ]);
});
