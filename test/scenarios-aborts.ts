// Also runs in browsers: imports nothing from Node.
import { type Clock, concurrencyLimit, tokenBucket } from '@ebb/core';
import type { Limits, Scenario } from './scenarios.ts';
import type { Step } from './server.ts';

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };

/** A slot and a token, which each run must give back. */
const one = (clock: Clock): Limits => ({
  bucket: tokenBucket({ capacity: 1, refillPerSecond: 1, clock }),
  concurrency: concurrencyLimit({ maxConcurrent: 1, clock }),
});

const noToken = (clock: Clock): Limits => ({
  ...one(clock),
  bucket: tokenBucket({ capacity: 1, refillPerSecond: 1, initialTokens: 0, clock }),
});

/** The only slot is held by another call. */
function noSlot(clock: Clock): Limits {
  const limits = one(clock);
  limits.concurrency?.tryAcquire();
  return limits;
}

const aborted = { delays: [], hits: 0, reason: 'aborted', thrown: 'the reason' } as const;

const inAWorker = {
  workerd: { thrown: 'a copy of the reason', why: 'the reason of a signal is copied on its way to fetch' },
};

/** An abort in each phase of a call ends it at once with the reason of the signal. */
export const aborts: readonly Scenario[] = [
  {
    name: 'an abort beforehand',
    script: [up],
    limits: one,
    abort: 'before',
    ...aborted,
    // axios itself rejects before it sends.
    but: { axios: { reason: undefined, thrown: 'CanceledError' } },
    butFor: { "Node's fetch": { reason: undefined, why: 'fetch rejects before it dispatches' } },
  },
  {
    name: 'an abort while waiting for a token',
    script: [up],
    limits: noToken,
    abort: 'limits',
    ...aborted,
  },
  {
    name: 'an abort while waiting for a slot',
    script: [up],
    limits: noSlot,
    abort: 'limits',
    ...aborted,
  },
  {
    name: 'an abort while waiting for the response',
    script: ['hang'],
    limits: one,
    abort: 'attempt',
    ...aborted,
    hits: 1,
    butIn: inAWorker,
    socketsOnly: true,
  },
  {
    name: 'an abort while waiting for the response of a retry',
    script: [down, 'hang'],
    abort: 'attempt',
    ...aborted,
    delays: [1_000],
    hits: 2,
    butIn: inAWorker,
    butFor: {
      'axios, http in Deno': { hits: 3, why: 'Deno repeats an aborted request that used a kept connection' },
    },
    socketsOnly: true,
  },
  {
    name: 'an abort while waiting for a retry',
    script: [down],
    limits: one,
    abort: 'retry',
    ...aborted,
    delays: [1_000],
    hits: 1,
  },
  {
    name: 'an abort while a discarded response is drained',
    script: ['endless-503'],
    limits: one,
    abort: 'retry',
    ...aborted,
    delays: [1_000],
    hits: 1,
    socketsOnly: true,
    but: { axios: { policy: { attemptTimeoutMs: 100 } } },
  },
  ...(['before', 'limits'] as const).map(
    (abort): Scenario => ({
      name: `a stop ${abort === 'before' ? 'beforehand' : 'while waiting for a token'}`,
      script: [up],
      limits: noToken,
      abort,
      stops: true,
      ...aborted,
      reason: 'stopped',
      thrown: 'ThrottledError',
    }),
  ),
  {
    name: 'a stop while waiting for a retry: the response that is there, with its body',
    script: [down],
    limits: one,
    abort: 'retry',
    stops: true,
    delays: [1_000],
    hits: 1,
    reason: 'stopped',
    status: 503,
    body: 'down',
  },
  {
    name: 'a stop in the body: it goes on',
    script: ['slow-200'],
    limits: one,
    abort: 'body',
    stops: true,
    delays: [],
    hits: 1,
    reason: 'success',
    status: 200,
    socketsOnly: true,
  },
  {
    name: 'an abort in the body',
    script: ['endless-200'],
    limits: one,
    abort: 'body',
    ...aborted,
    reason: 'success',
    hits: 1,
    butIn: inAWorker,
    socketsOnly: true,
    // axios resolves only when the body has ended.
    but: { axios: { abort: 'attempt', reason: 'aborted' } },
  },
];
