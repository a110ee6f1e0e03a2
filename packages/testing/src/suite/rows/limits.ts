import { type Clock, concurrencyLimit, constant, type ReadFeedback, tokenBucket } from '@ebb/core';
import type { Limits, Row } from '../row.ts';
import { down, up } from '../step.ts';

const fast = { backoff: constant(10) };

/** A token per second. */
const bucketOf =
  (initialTokens: number, more: { capacity?: number; nonConforming?: 'reject' } = {}) =>
  (clock: Clock): Limits => ({
    bucket: tokenBucket({ capacity: 1, refillPerSecond: 1, initialTokens, clock, ...more }),
  });

const withSlot =
  (feedback?: ReadFeedback) =>
  (clock: Clock): Limits => ({
    bucket: tokenBucket({ refillPerSecond: 1, capacity: 5, clock, ...(feedback && { feedback }) }),
    concurrency: concurrencyLimit({ maxConcurrent: 1, clock }),
  });

const LOST = ['that breaks off', 'that is too long to keep'];

/** Tokens, and options of one request. */
export const limited: readonly Row[] = [
  {
    name: 'an attempt waits for its token',
    script: [up],
    limits: bucketOf(0),
    waits: [1_000],
    delays: [],
    hits: 1,
    status: 200,
    body: 'up',
    reason: 'success',
  },
  {
    name: 'headers that are changed during the wait: the attempt sends those of the call',
    script: [up],
    request: { headers: { 'x-user': 'one' } },
    isReused: true,
    limits: bucketOf(0),
    waits: [1_000],
    delays: [],
    hits: 1,
    status: 200,
    carried: { header: 'x-user', values: ['one'] },
    reason: 'success',
  },
  {
    name: 'a retry waits for a token of its own',
    script: [down, up],
    policy: fast,
    limits: bucketOf(1),
    waits: [990],
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a bucket that rejects the first attempt',
    script: [up],
    limits: bucketOf(0, { nonConforming: 'reject' }),
    delays: [],
    hits: 0,
    reason: 'limited',
    thrown: 'NotSentError',
  },
  {
    name: 'a bucket that rejects a retry: the response is kept',
    script: [down],
    policy: fast,
    limits: bucketOf(1, { nonConforming: 'reject' }),
    delays: [10],
    hits: 1,
    status: 503,
    body: 'down',
    reason: 'limited',
  },
  ...(['half-503', { status: 503, body: 'x'.repeat(300_000) }] as const).map(
    (step, index): Row => ({
      name: `a bucket that rejects a retry: reading a response ${LOST[index]} fails`,
      script: [step],
      policy: fast,
      limits: bucketOf(1, { nonConforming: 'reject' }),
      delays: [10],
      hits: 1,
      reason: 'limited',
      needs: ['sockets'],
      // Such a client has the long body.
      ...(index === 1 && { by: { wholeBodies: { status: 503 } } }),
    }),
  ),
  {
    name: 'a slot and a token for an answer',
    script: [up],
    limits: withSlot(),
    delays: [],
    hits: 1,
    status: 200,
    body: 'up',
    reason: 'success',
  },
  {
    name: 'a slot and a token for a final answer',
    script: [{ status: 404, body: 'no' }],
    limits: withSlot(),
    delays: [],
    hits: 1,
    status: 404,
    body: 'no',
    reason: 'final',
  },
  {
    name: 'a bucket whose feedback fails: its slot is free, and the caller gets the error',
    script: [up],
    limits: withSlot(() => {
      throw new Error('broken');
    }),
    delays: [],
    hits: 1,
    reason: 'final',
    thrown: 'HookError',
  },
  {
    name: 'a cost for one request',
    script: [up],
    request: { ebb: { cost: 3 } },
    limits: bucketOf(1, { capacity: 3 }),
    waits: [2_000],
    delays: [],
    hits: 1,
    status: 200,
    reason: 'success',
  },
  {
    name: 'maxRetries for one request',
    script: [down],
    request: { ebb: { maxRetries: 1 } },
    delays: [1_000],
    hits: 2,
    status: 503,
    body: 'down',
    reason: 'retries-exhausted',
  },
  {
    name: 'methods for one request',
    script: [down, up],
    request: { method: 'POST', body: 'text', ebb: { methods: 'all' } },
    policy: fast,
    delays: [10],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'one request without ebb',
    script: [down],
    request: { ebb: false },
    delays: [],
    hits: 1,
    status: 503,
    body: 'down',
    reason: undefined,
  },
];
