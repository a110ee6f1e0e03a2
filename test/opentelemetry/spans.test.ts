import {
  concurrencyLimit,
  constant,
  createPolicy,
  type EbbEvent,
  type PolicyOptions,
  retry,
  tokenBucket,
} from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { telemetry } from '@ebb/opentelemetry';
import { context, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownBudget } from '../../packages/core/test/own.ts';
import { NOW } from '../../packages/testing/src/suite/play.ts';
import { type Step, upstream } from '../server.ts';
import { until } from '../until.ts';
import { followContexts, type Point, type Recorder, recorder, type Told } from './recorder.ts';
import { senders } from './senders.ts';

let stopFollowing: () => void;
beforeAll(() => {
  stopFollowing = followContexts();
});
afterAll(() => stopFollowing());

let record: Recorder;
beforeEach(() => {
  record = recorder();
});
afterEach(() => record.close());

type Sketch = Partial<Told>;

interface Row {
  readonly story: string;
  readonly script: readonly Step[];
  readonly policy?: PolicyOptions;
  /** The spans, without what every span of the server has. */
  readonly spans: readonly Sketch[];
  /** The series without what every one of the server has: `name {attributes} value`. */
  readonly series: readonly string[];
}

const ok: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };
const noRetry = ownBudget({ balance: 0, deposit: () => undefined, withdraw: () => false });

const rows: readonly Row[] = [
  {
    story: 'a success',
    script: [ok],
    spans: [
      {
        name: 'ebb.request',
        kind: 'INTERNAL',
        parent: undefined,
        status: 'UNSET',
        fromMs: 0,
        toMs: 0,
        attributes: { 'http.response.status_code': 200, 'ebb.stop.reason': 'success', 'ebb.attempts': 1 },
        events: [],
      },
      {
        name: 'GET',
        kind: 'CLIENT',
        parent: 'ebb.request',
        status: 'UNSET',
        fromMs: 0,
        toMs: 0,
        attributes: { 'http.response.status_code': 200 },
        events: [],
      },
    ],
    series: ['ebb.client.attempts 200 1', 'ebb.client.requests success 1'],
  },
  {
    story: 'two 503 before a success',
    script: [down, down, ok],
    spans: [
      {
        name: 'ebb.request',
        status: 'UNSET',
        fromMs: 0,
        toMs: 3000,
        attributes: { 'http.response.status_code': 200, 'ebb.stop.reason': 'success', 'ebb.attempts': 3 },
        events: ['ebb.retry transient 1.5', 'ebb.retry transient 1.5'],
      },
      {
        name: 'GET',
        status: 'ERROR',
        fromMs: 0,
        toMs: 0,
        attributes: { 'http.response.status_code': 503, 'error.type': '503' },
      },
      {
        status: 'ERROR',
        fromMs: 1500,
        toMs: 1500,
        attributes: {
          'http.response.status_code': 503,
          'error.type': '503',
          'http.request.resend_count': 1,
        },
      },
      {
        status: 'UNSET',
        fromMs: 3000,
        toMs: 3000,
        attributes: { 'http.response.status_code': 200, 'http.request.resend_count': 2 },
      },
    ],
    series: [
      'ebb.client.attempts 503 503 2',
      'ebb.client.attempts 200 1',
      'ebb.client.retries transient 2',
      'ebb.client.backoff.duration transient 2 × 3',
      'ebb.client.requests success 1',
    ],
  },
  {
    story: 'a retry that the budget refuses',
    script: [down],
    policy: { budget: noRetry },
    spans: [
      {
        name: 'ebb.request',
        status: 'ERROR',
        attributes: {
          'http.response.status_code': 503,
          'error.type': '503',
          'ebb.stop.reason': 'budget-exhausted',
          'ebb.attempts': 1,
        },
      },
      { status: 'ERROR', attributes: { 'http.response.status_code': 503, 'error.type': '503' } },
    ],
    series: ['ebb.client.attempts 503 503 1', 'ebb.client.requests budget-exhausted 1'],
  },
  {
    story: 'a broken connection',
    script: ['reset'],
    policy: { maxRetries: 0 },
    spans: [
      {
        status: 'ERROR',
        attributes: { 'error.type': 'BROKEN', 'ebb.stop.reason': 'retries-exhausted', 'ebb.attempts': 1 },
      },
      { name: 'GET', status: 'ERROR', attributes: { 'error.type': 'BROKEN' } },
    ],
    series: ['ebb.client.attempts BROKEN 1', 'ebb.client.requests retries-exhausted 1'],
  },
];

/** The codes of a broken connection: node:http and undici have one each. */
const BROKEN = /^(ECONNRESET|UND_ERR_SOCKET)$/;

function withoutServer(attributes: Told['attributes'], port: number): object {
  const {
    'http.request.method': method,
    'server.address': address,
    'server.port': seen,
    ...rest
  } = attributes;
  expect([method, address, seen]).toEqual(['GET', '127.0.0.1', port]);
  const error = rest['error.type'];
  return typeof error === 'string' && BROKEN.test(error) ? { ...rest, 'error.type': 'BROKEN' } : rest;
}

function lineOf({ name, attributes, value }: Point, port: number): string {
  const amount = typeof value === 'number' ? value : `${value.count} × ${value.sum}`;
  return [name, ...Object.values(withoutServer(attributes, port)), amount].join(' ');
}

describe.each(Object.entries(senders))('%s', (_, send) => {
  test.each(rows)('$story', async ({ script, policy, spans, series }) => {
    const server = await upstream(script);
    const port = Number(new URL(server.url).port);
    const clock = virtualClock({ startMs: NOW });
    const observer = telemetry(record.sdk);
    const onEvent = (event: EbbEvent): void => {
      observer(event);
      if (event.type === 'retry') void nextTurn().then(() => clock.advance(event.delayMs));
    };
    await send(
      createPolicy({ maxRetries: 3, backoff: constant(1500), clock, onEvent, ...policy }),
      `${server.url}/path`,
    ).catch(() => undefined);
    await server.close();

    const told = record.told(NOW);
    expect(told.map((span) => ({ ...span, attributes: withoutServer(span.attributes, port) }))).toMatchObject(
      spans,
    );
    for (const [at, { attributes }] of spans.entries()) {
      expect(withoutServer(told[at]?.attributes ?? {}, port)).toEqual(attributes);
    }
    const lines = (await record.points()).map((point) => lineOf(point, port));
    expect(lines.sort()).toEqual([...series].sort());
  });

  test('the wait for a token is part of the request, and an event of it', async () => {
    const server = await upstream([ok]);
    const clock = virtualClock({ startMs: NOW });
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.5, clock });
    bucket.tryAcquire();
    const sent = send(createPolicy({ bucket, clock, onEvent: telemetry(record.sdk) }), server.url);
    await until(() => bucket.stats().waiting === 1);
    await clock.advance(2000);
    await sent;
    await server.close();
    expect(record.told(NOW)).toMatchObject([
      { name: 'ebb.request', fromMs: 0, toMs: 2000, events: ['ebb.wait 2 0'] },
      { name: 'GET', fromMs: 2000, toMs: 2000 },
    ]);
    const waits = (await record.points()).filter(({ name }) => name === 'ebb.client.wait.duration');
    expect(waits).toMatchObject([
      { unit: 's', attributes: { 'ebb.wait.for': 'tokens' }, value: { count: 1, sum: 2 } },
    ]);
  });

  test('a wait for a slot and then for tokens counts as two', async () => {
    const server = await upstream([ok]);
    const clock = virtualClock({ startMs: NOW });
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.5, clock });
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    bucket.tryAcquire();
    const slot = concurrency.tryAcquire();
    const sent = send(
      createPolicy({ bucket, concurrency, clock, onEvent: telemetry(record.sdk) }),
      server.url,
    );
    await until(() => concurrency.stats().waiting === 1);
    await clock.advance(500);
    slot?.release();
    await until(() => bucket.stats().waiting === 1);
    await clock.advance(1500);
    await sent;
    await server.close();
    const waits = (await record.points()).filter(({ name }) => name === 'ebb.client.wait.duration');
    expect(waits).toMatchObject([
      { attributes: { 'ebb.wait.for': 'slot' }, value: { count: 1, sum: 0.5 } },
      { attributes: { 'ebb.wait.for': 'tokens' }, value: { count: 1, sum: 1.5 } },
    ]);
  });

  test('a request that gets no token has no attempt', async () => {
    const bucket = tokenBucket({ capacity: 1, refillPerSecond: 1, nonConforming: 'reject' });
    bucket.tryAcquire();
    const policy = createPolicy({ bucket, onEvent: telemetry(record.sdk) });
    await expect(send(policy, 'http://upstream.test/')).rejects.toThrow();
    expect(record.told(0)).toMatchObject([
      { status: 'ERROR', attributes: { 'error.type': 'limited', 'ebb.attempts': 0, 'server.port': 80 } },
    ]);
    expect((await record.points()).map(({ name }) => name)).toEqual(['ebb.client.requests']);
  });

  test('an abort ends the attempt and the request', async () => {
    const server = await upstream(['hang']);
    const abort = new AbortController();
    server.onHang = () => abort.abort();
    const policy = createPolicy({ onEvent: telemetry(record.sdk) });
    await expect(send(policy, server.url, { signal: abort.signal })).rejects.toThrow();
    await server.close();
    const aborted = { 'error.type': 'aborted' };
    expect(record.told(0)).toMatchObject([
      { name: 'ebb.request', status: 'ERROR', attributes: { ...aborted, 'ebb.stop.reason': 'aborted' } },
      { name: 'GET', status: 'ERROR', attributes: aborted },
    ]);
  });

  test('the span that is active at the call is the parent', async () => {
    const server = await upstream([down, ok]);
    const policy = createPolicy({ backoff: constant(0), onEvent: telemetry(record.sdk) });
    const outer = record.sdk.tracer.startSpan('outer');
    await context.with(trace.setSpan(context.active(), outer), () => send(policy, server.url));
    outer.end();
    await server.close();
    const parents = record.told(0).map(({ name, parent }) => [name, parent]);
    expect(parents.sort()).toEqual(
      [
        ['outer', undefined],
        ['ebb.request', 'outer'],
        ['GET', 'ebb.request'],
        ['GET', 'ebb.request'],
      ].sort(),
    );
  });

  test('nothing that may be secret is exported', async () => {
    const server = await upstream([
      { status: 503, headers: { 'set-cookie': 'c=SECRET', 'x-error': 'SECRET' }, body: 'SECRET' },
      'reset',
    ]);
    const policy = createPolicy({
      methods: 'all',
      maxRetries: 1,
      backoff: constant(0),
      onEvent: telemetry(record.sdk),
    });
    const { host } = new URL(server.url);
    // fetch refuses credentials in a URL.
    const login = send === senders.fetch ? '' : 'SECRET:SECRET@';
    const headers = { authorization: 'Bearer SECRET', cookie: 'SECRET', 'content-type': 'text/plain' };
    await send(policy, `http://${login}${host}/SECRET?key=SECRET#SECRET`, {
      method: 'POST',
      headers,
      body: 'SECRET',
    }).catch(() => undefined);
    await server.close();

    expect(server.seen).toHaveLength(2);
    expect(server.seen[0]?.path).toContain('SECRET');
    const spans = record.spans().map(({ name, attributes, events, status, links }) => {
      return { name, attributes, events, status, links };
    });
    expect(spans).toHaveLength(3);
    expect(JSON.stringify([spans, await record.points()])).not.toContain('SECRET');
  });
});

describe('a call of retry', () => {
  test('has spans without HTTP attributes, also beside another', async () => {
    const policy = createPolicy({ backoff: constant(0), onEvent: telemetry(record.sdk) });
    let calls = 0;
    const failing = async (): Promise<void> => {
      calls += 1;
      if (calls <= 2) throw Object.assign(new Error('SECRET'), { status: 503 });
    };
    await Promise.all([retry(failing, policy), retry(failing, policy)]);
    const told = record.told(0);
    expect(told.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([
      ...Array(4).fill('ebb.attempt INTERNAL'),
      ...Array(2).fill('ebb.request INTERNAL'),
    ]);
    const keys = [...new Set(told.flatMap(({ attributes }) => Object.keys(attributes)))];
    expect(keys.sort()).toEqual([
      'ebb.attempts',
      'ebb.stop.reason',
      'error.type',
      'http.response.status_code',
    ]);
  });
});
