import { createPolicy, type EbbEvent } from '@ebb/core';
import { observe, telemetry } from '@ebb/opentelemetry';
import { metrics, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { turns } from '../until.ts';
import { type Recorder, recorder } from './recorder.ts';

let record: Recorder;
beforeEach(() => {
  record = recorder();
});
afterEach(async () => {
  trace.disable();
  metrics.disable();
  await record.close();
});

type Request = EbbEvent['request'];

function requestOf(url = 'http://upstream.test/', method = 'GET'): Request {
  return { method, url };
}

const response = { type: 'response', status: 200, header: () => undefined } as const;
const refusal = { ...response, status: 503 };

/** The events of one request, one millisecond apart. */
function play(
  observer: (event: EbbEvent) => void,
  details: readonly { readonly type: EbbEvent['type'] }[],
  request = requestOf(),
): void {
  let attempt = 0;
  for (const [at, event] of details.entries()) {
    if (event.type === 'attempt') attempt += 1;
    observer({ ...event, request, attempt, atMs: at } as EbbEvent);
  }
}

const success = [{ type: 'attempt' }, { type: 'end', reason: 'success', outcome: response }] as const;
const retry = { type: 'retry', delayMs: 250, reason: 'refused', outcome: refusal } as const;

describe('options', () => {
  test.each([
    [{ tracer: false } as const, [], 2],
    [{ meter: false } as const, ['ebb.request', 'GET'], 0],
    [{ attemptSpans: false } as const, ['ebb.request'], 2],
  ])('%o', async (options, spans, series) => {
    play(telemetry({ ...record.sdk, ...options }), success);
    expect(record.told(0).map(({ name }) => name)).toEqual(spans);
    expect(await record.points()).toHaveLength(series);
  });

  test('attributes are those of every span and series, but cannot replace those of the request', async () => {
    const attributes = { 'peer.service': 'orders', 'server.address': 'other.test' };
    play(telemetry({ ...record.sdk, attributes }), success);
    const all = [...record.told(0), ...(await record.points())];
    expect(all).toHaveLength(4);
    for (const each of all) {
      expect(each.attributes).toMatchObject({ 'peer.service': 'orders', 'server.address': 'upstream.test' });
    }
  });

  test('by default the global providers are used, also those that are registered later', async () => {
    const observer = telemetry();
    trace.setGlobalTracerProvider(record.traces);
    metrics.setGlobalMeterProvider(record.metrics);
    play(observer, success);
    expect(record.spans().map(({ instrumentationScope: { name } }) => name)).toEqual([
      '@ebb/opentelemetry',
      '@ebb/opentelemetry',
    ]);
    expect(await record.points()).toHaveLength(2);
  });

  test('a request before the SDK is started does not cost the later ones their metrics', async () => {
    const observer = telemetry();
    play(observer, success);
    trace.setGlobalTracerProvider(record.traces);
    metrics.setGlobalMeterProvider(record.metrics);
    play(observer, success);
    expect(record.spans()).toHaveLength(2);
    expect((await record.points()).map(({ name, value }) => [name, value]).sort()).toEqual([
      ['ebb.client.attempts', 1],
      ['ebb.client.requests', 1],
    ]);
  });

  test('without an SDK nothing happens', () => {
    expect(() => play(telemetry(), success)).not.toThrow();
  });

  test.each<[call: () => unknown, message: string]>([
    [() => telemetry(null as never), 'telemetry: options must be an object, got null'],
    [() => telemetry({ tracer: 5 as never }), 'telemetry: tracer must be a Tracer or false, got 5'],
    [() => telemetry({ meter: {} as never }), 'telemetry: meter must be a Meter or false, got an object'],
    [() => telemetry({ attemptSpans: 1 as never }), 'telemetry: attemptSpans must be a boolean, got 1'],
    [() => telemetry({ attributes: 'a' as never }), 'telemetry: attributes must be an object, got a'],
    [
      () => telemetry({ atributes: {} } as never),
      'telemetry has no option "atributes"; it takes tracer, meter, attemptSpans, attributes',
    ],
    [
      () => observe({ limit: 1 } as never),
      'observe has no option "limit"; it takes bucket, concurrency, budget, throttle, attributes, meter',
    ],
    [() => observe(undefined as never), 'observe: options must be an object, got undefined'],
    [() => observe({ bucket: {} as never }), 'observe: bucket must be a bucket with stats(), got an object'],
    [() => observe({ concurrency: 1 as never }), 'observe: concurrency must be a concurrency limit, got 1'],
    [() => observe({ budget: 1 as never }), 'observe: budget must be a retry budget, got 1'],
    [() => observe({ budget: {} as never }), 'observe: budget must be a retry budget, got an object'],
    [() => observe({ throttle: {} as never }), 'observe: throttle must be a throttle, got an object'],
    [() => observe({ meter: {} as never }), 'observe: meter must be a Meter, got an object'],
  ])('%s throws %s', (call, message) => {
    expect(call).toThrow(new TypeError(message));
  });
});

describe('events', () => {
  test('a retry that was planned and not sent counts no retry, and its attempt once', async () => {
    const limited = { type: 'end', reason: 'limited', outcome: refusal } as const;
    play(telemetry(record.sdk), [{ type: 'attempt' }, retry, limited]);
    const series = (await record.points()).map(({ name, value }) => [name, value]);
    expect(series.sort()).toEqual([
      ['ebb.client.attempts', 1],
      ['ebb.client.requests', 1],
    ]);
    expect(record.told(0)).toMatchObject([
      { name: 'ebb.request', fromMs: 0, toMs: 2, attributes: { 'http.response.status_code': 503 } },
      { name: 'GET', fromMs: 0, toMs: 1 },
    ]);
  });

  test('an abort during the delay is the error of the request', () => {
    const aborted = { type: 'end', reason: 'aborted', outcome: refusal } as const;
    play(telemetry(record.sdk), [{ type: 'attempt' }, retry, aborted]);
    const errors = record.told(0).map(({ attributes }) => attributes['error.type']);
    expect(errors).toEqual(['aborted', '503']);
  });

  test('a hook that failed is the error of the request, also after a good response', () => {
    const error = { name: 'HookError', hook: 'classify' };
    const failed = { type: 'end', reason: 'final', outcome: response, error } as const;
    play(telemetry(record.sdk), [{ type: 'attempt' }, failed]);
    const told = record.told(0).map(({ status, attributes }) => [status, attributes['error.type']]);
    expect(told).toEqual([
      ['ERROR', 'HookError'],
      ['UNSET', undefined],
    ]);
  });

  test('a mark and another library are events of the request', async () => {
    const other = { type: 'nested-retries', header: 'x-stainless-retry-count', library: 'openai' } as const;
    play(telemetry(record.sdk), [{ type: 'mark' }, { type: 'attempt' }, other, ...success.slice(1)]);
    expect(record.told(0)[0]?.events).toEqual([
      'ebb.mark',
      'ebb.nested_retries x-stainless-retry-count openai',
    ]);
    expect((await record.points()).map(({ name }) => name)).toContain('ebb.client.marks');
  });

  test('a skipped attempt and the state of the throttle are events of the request', () => {
    const failures = ['503', 'timeout', 'timeout'];
    const share = {
      type: 'throttle',
      state: 'half-open',
      level: 0.3,
      failures,
      retryAllowance: 'successes',
    } as const;
    const skips = [
      { type: 'attempt-skipped', delayMs: 1_500 } as const,
      { type: 'attempt-skipped', delayMs: undefined } as const,
    ];
    play(telemetry(record.sdk), [share, ...skips, ...success]);
    expect(record.told(0)[0]?.events).toEqual([
      'ebb.throttle half-open 0.3 503 timeout timeout successes',
      'ebb.attempt_skipped 1.5',
      'ebb.attempt_skipped',
    ]);
  });

  test('scheduled attempts that were skipped, hedges and resumptions are counted, by what came of them', async () => {
    const started = vi.spyOn(record.sdk.tracer, 'startSpan');
    const hedge = { type: 'hedge', delayMs: 10, outcome: undefined } as const;
    const hedges = [
      { ...hedge, sent: true, won: true },
      { ...hedge, sent: true, won: false },
      { ...hedge, sent: false, won: false },
      { ...hedge, sent: false, won: false },
    ];
    const resumes = (['continued', 'restarted', 'refused'] as const).map((result) => {
      return { type: 'resume-end', result, passedBytes: 1 } as const;
    });
    const skips = [
      { type: 'attempt-skipped', delayMs: 1_500 } as const,
      { type: 'attempt-skipped', delayMs: undefined } as const,
    ];
    play(telemetry(record.sdk), [
      ...skips,
      ...success.slice(0, 1),
      ...hedges,
      ...success.slice(1),
      ...resumes,
    ]);
    const points = (await record.points()).map(({ name, unit, attributes, value }) => {
      const result = attributes['ebb.hedge.result'] ?? attributes['ebb.resume.result'];
      return [name.replace('ebb.client.', ''), result, attributes['server.address'], value, unit];
    });
    expect(points).toEqual(
      expect.arrayContaining([
        ['skips', undefined, 'upstream.test', 2, '{attempt}'],
        ['hedges', 'won', 'upstream.test', 1, '{hedge}'],
        ['hedges', 'lost', 'upstream.test', 1, '{hedge}'],
        ['hedges', 'not-sent', 'upstream.test', 2, '{hedge}'],
        ...['continued', 'restarted', 'refused'].map((result) => [
          'resumes',
          result,
          'upstream.test',
          1,
          '{resume}',
        ]),
      ]),
    );
    // No event of a request that has ended, or of another one, begins a span.
    expect(started).toHaveBeenCalledTimes(2);
  });

  test.each<[url: string, method: string, name: string, attributes: object]>([
    ['https://a.test/x', 'PUT', 'PUT', { 'server.address': 'a.test', 'server.port': 443 }],
    ['http://[::1]:8080/', 'GET', 'GET', { 'server.address': '::1', 'server.port': 8080 }],
    ['https://u:p@a.test:444/', 'PURGE', 'HTTP', { 'server.address': 'a.test', 'server.port': 444 }],
    ['/relative', 'GET', 'GET', {}],
    ['data:text/plain,SECRET', 'GET', 'GET', {}],
  ])('%s %s', (url, method, name, server) => {
    play(telemetry(record.sdk), success, requestOf(url, method));
    const [request, attempt] = record.told(0);
    expect(attempt?.name).toBe(name);
    const expected = { 'http.request.method': name === 'HTTP' ? '_OTHER' : method, ...server };
    expect(attempt?.attributes).toEqual({ ...expected, 'http.response.status_code': 200 });
    expect(request?.attributes).toMatchObject(expected);
  });

  test.each<[story: string, code: string | undefined, kind: string, type: string]>([
    ['a code', 'ECONNREFUSED', 'connect', 'ECONNREFUSED'],
    ['a code of undici', 'UND_ERR_SOCKET', 'network', 'UND_ERR_SOCKET'],
    ['an address that is not found', 'EAI_AGAIN', 'connect', 'EAI_AGAIN'],
    ['a name', 'TypeError', 'unknown', 'unknown'],
    ['another text in upper case', 'SECRET', 'unknown', 'unknown'],
    ['a failure without a code', undefined, 'network', 'network'],
    ['an abort', 'ECONNRESET', 'aborted', 'aborted'],
  ])('the error type of %s', (_, code, kind, type) => {
    const outcome = { type: 'failure', kind, code };
    play(telemetry(record.sdk), [{ type: 'attempt' }, { type: 'end', reason: 'final', outcome } as never]);
    expect(record.told(0).map(({ attributes }) => attributes['error.type'])).toEqual([type, type]);
  });

  test('a request that never ends is collected', async () => {
    const observer = telemetry(record.sdk);
    const begin = (): WeakRef<Request> => {
      const request = requestOf();
      play(observer, [{ type: 'attempt' }, retry, { type: 'attempt' }], request);
      return new WeakRef(request);
    };
    const left = begin();
    await turns(2);
    global.gc?.();
    expect(left.deref()).toBeUndefined();
    // The observer is still in use.
    play(observer, success);
    expect(record.told(0).map(({ toMs }) => toMs)).toContain(1);
  });

  test('a policy takes it', () => {
    expect(createPolicy({ onEvent: telemetry(record.sdk) }).onEvent).toBeTypeOf('function');
  });
});
