import {
  type Clock,
  concurrencyLimit,
  constant,
  inspectBody,
  type Limit,
  type Plugin,
  tokenBucket,
} from '@ebb/core';
import type { Limits, Row } from '../row.ts';
import { down, up } from '../step.ts';

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

/** A plugin that looks into the response, and never settles. */
function endlessLook(clock: Clock): Limits {
  let isLooking = false;
  const judge = (): Promise<never> => {
    isLooking = true;
    return new Promise(() => undefined);
  };
  const plugin: Plugin = { name: 'own', inspect: { judge } };
  return { ...one(clock), plugins: [plugin], isLooking: () => isLooking };
}

/** A limit that stops the policy. */
function stoppingBy(own: (stop: () => undefined) => Omit<Limit, 'name'>): Limits {
  const end = new AbortController();
  const stop = (): undefined => {
    end.abort();
    return undefined;
  };
  const stopping = { name: 'own', take: () => undefined, ...own(stop) };
  return { stopSignal: end.signal, limits: [stopping] };
}

/** Longer than what is kept of a response that a retry follows. */
const LONG = 'x'.repeat(100_000);

const aborted = { delays: [], hits: 0, reason: 'aborted', thrown: 'the reason' } as const;

/** A hook that never settles. */
function endlessHook(clock: Clock): Limits {
  let isAsked = false;
  const beforeAttempt = (): Promise<never> => {
    isAsked = true;
    return new Promise(() => undefined);
  };
  return { ...one(clock), beforeAttempt, isLooking: () => isAsked };
}

/** A stream that fails before it is sent. */
const broken = {
  script: [up],
  request: { method: 'PUT', once: 'text' },
  delays: [],
  hits: 0,
  reason: 'final',
  thrown: 'the reason',
} as const;

/** An abort in each phase of a call ends it at once with the reason of the signal. */
export const aborts: readonly Row[] = [
  {
    name: 'an abort beforehand',
    script: [up],
    limits: one,
    abort: 'before',
    ...aborted,
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
    needs: ['sockets'],
  },
  {
    name: 'an abort while waiting for the response of a retry',
    script: [down, 'hang'],
    abort: 'attempt',
    ...aborted,
    delays: [1_000],
    hits: 2,
    needs: ['sockets'],
  },
  {
    name: 'an abort by the signal of another library',
    script: ['hang'],
    policy: { attemptTimeoutMs: 1_000 },
    limits: one,
    abort: 'attempt',
    isForeign: true,
    ...aborted,
    hits: 1,
    needs: ['sockets'],
  },
  {
    name: 'an abort by the signal of another library during a look with a timeout',
    script: [up],
    policy: { attemptTimeoutMs: 1_000 },
    limits: endlessLook,
    abort: 'look',
    isForeign: true,
    ...aborted,
    hits: 1,
  },
  {
    name: 'the signal of another library, a look and a timeout',
    script: [up],
    request: { method: 'POST', body: 'text' },
    policy: {
      inspect: inspectBody((response) => response.json().then(() => undefined)),
      attemptTimeoutMs: 1_000,
    },
    isForeign: true,
    delays: [],
    hits: 1,
    status: 200,
    body: 'up',
    bodies: ['text'],
    reason: 'success',
    needs: ['inspection'],
  },
  ...([up, down] as const).map(
    (step): Row => ({
      name: `an abort while a part looks into ${step === up ? 'a success' : 'a failure'}, without a timeout`,
      script: [step],
      limits: endlessLook,
      abort: 'look',
      ...aborted,
      hits: 1,
    }),
  ),
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
    needs: ['sockets'],
    // Without a limit for the attempt such a client would wait for the end of the body.
    by: { wholeBodies: { policy: { attemptTimeoutMs: 100 } } },
  },
  ...(['before', 'limits'] as const).map(
    (abort): Row => ({
      name: `a stop ${abort === 'before' ? 'beforehand' : 'while waiting for a token'}`,
      script: [up],
      limits: noToken,
      abort,
      stops: true,
      ...aborted,
      reason: 'stopped',
      thrown: 'NotSentError',
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
    name: 'a stop in the turn of the response: no retry is planned, and its body is whole',
    script: [{ status: 503, body: LONG }],
    limits: () => stoppingBy((stop) => ({ take: () => ({ cancel: () => undefined, settle: stop }) })),
    delays: [],
    hits: 1,
    reason: 'stopped',
    status: 503,
    body: `${LONG.length} characters`,
  },
  {
    name: 'a stop once the retry is planned: the response that is there, with its body',
    script: [down],
    // The delay passes at once, perhaps before the body has come: it must not be the second in which that has to end.
    policy: { backoff: constant(10) },
    limits: () => stoppingBy((stop) => ({ planRetry: stop })),
    delays: [10],
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
    needs: ['sockets'],
  },
  {
    name: 'an abort in the body',
    script: ['endless-200'],
    limits: one,
    abort: 'body',
    ...aborted,
    reason: 'success',
    hits: 1,
    needs: ['sockets'],
    by: { wholeBodies: { abort: 'attempt', reason: 'aborted' } },
  },
  { ...broken, name: 'an upload that fails while waiting for a token', limits: noToken, fails: 'limits' },
  { ...broken, name: 'an upload that fails while waiting for a slot', limits: noSlot, fails: 'limits' },
  { ...broken, name: 'an upload that fails while waiting for a hook', limits: endlessHook, fails: 'hook' },
];
