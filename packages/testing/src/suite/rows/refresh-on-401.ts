import { constant, refreshOn401, tokenBucket } from '@ebb/core';
import type { Limits, Row } from '../row.ts';
import { down, type Step, up } from '../step.ts';

const expired: Step = { status: 401, body: 'expired' };
const policy = { backoff: constant(10), maxRetries: 0, trustedOrigins: () => true };
const post = { method: 'POST', body: 'text' };
const header = 'authorization';

/** A token that is `old`, then `new 1`, `new 2` … */
const asHeaders = (): Limits => {
  let refreshes = 0;
  return { plugins: [refreshOn401({ refresh: async () => ({ authorization: `new ${++refreshes}` }) })] };
};

/** The same token in a variable of the program. */
const inVariable = (): Limits => {
  let token = 'old';
  const refresh = async (): Promise<void> => {
    token = 'new';
  };
  return { plugins: [refreshOn401({ refresh })], beforeAttempt: () => ({ authorization: token }) };
};

const failing = (): Limits => ({
  plugins: [refreshOn401({ refresh: () => Promise.reject(new Error('no token')) })],
});

/** A refresh that never ends. */
function neverRefreshes(): Limits {
  let isLooking = false;
  const refresh = (): Promise<never> => {
    isLooking = true;
    return new Promise(() => undefined);
  };
  return { plugins: [refreshOn401({ refresh })], isLooking: () => isLooking };
}

/** A 401, and the one attempt that follows with another token. */
export const refreshed: readonly Row[] = [
  {
    name: 'a 401 and a refresh that returns headers, without retries',
    script: [expired, up],
    policy,
    limits: asHeaders,
    request: { headers: { authorization: 'old' } },
    delays: [0],
    hits: 2,
    status: 200,
    carried: { header, values: ['old', 'new 1'] },
    reason: 'success',
  },
  {
    name: 'a 401 and a refresh that beforeAttempt knows of',
    script: [expired, up],
    policy,
    limits: inVariable,
    delays: [0],
    hits: 2,
    status: 200,
    carried: { header, values: ['old', 'new'] },
    reason: 'success',
  },
  {
    name: 'a 401 to a POST',
    script: [expired, up],
    policy,
    limits: asHeaders,
    request: post,
    delays: [0],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'a second 401 is the answer',
    script: [expired, { status: 401, body: 'not yours' }],
    policy: { ...policy, maxRetries: 5 },
    limits: asHeaders,
    delays: [0],
    hits: 2,
    status: 401,
    body: 'not yours',
    reason: 'final',
  },
  {
    name: 'a 401 to a body that cannot be sent again',
    script: [expired],
    policy,
    limits: asHeaders,
    request: { method: 'POST', once: 'text' },
    delays: [],
    hits: 1,
    status: 401,
    body: 'expired',
    reason: 'final',
  },
  {
    name: 'a 401 and a refresh that fails',
    script: [expired],
    policy,
    limits: failing,
    delays: [],
    hits: 1,
    status: 401,
    body: 'expired',
    reason: 'final',
  },
  {
    name: 'a 401 between two failures: each retry has its own backoff, and the token stays',
    script: [down, expired, down, up],
    policy: { ...policy, backoff: ({ retry }) => 10 * retry, maxRetries: 2 },
    limits: asHeaders,
    delays: [10, 0, 20],
    hits: 4,
    status: 200,
    carried: { header, values: [undefined, undefined, 'new 1', 'new 1'] },
    reason: 'success',
  },
  {
    name: 'a 401 and no token of the bucket for another attempt',
    script: [expired],
    policy,
    limits: (clock) => ({
      ...asHeaders(),
      bucket: tokenBucket({ capacity: 1, refillPerSecond: 1e-9, nonConforming: 'reject', clock }),
    }),
    delays: [0],
    hits: 1,
    status: 401,
    body: 'expired',
    reason: 'limited',
  },
  {
    name: 'a 401 and a refresh that returns something else than headers',
    script: [expired],
    policy,
    limits: () => ({ plugins: [refreshOn401({ refresh: (async () => 'new') as never })] }),
    delays: [],
    hits: 1,
    thrown: 'HookError',
    reason: 'final',
  },
  {
    name: 'a 401 and a refresh that never ends: after 30 seconds the 401 is the answer',
    script: [expired],
    policy,
    limits: neverRefreshes,
    lookMs: 30_000,
    delays: [],
    hits: 1,
    status: 401,
    body: 'expired',
    reason: 'final',
  },
  {
    name: 'a 401, and an abort while waiting for the refresh, without a timeout',
    script: [expired],
    policy,
    limits: neverRefreshes,
    abort: 'look',
    delays: [],
    hits: 1,
    thrown: 'the reason',
    reason: 'aborted',
    // The refresh goes on for those that come later, and has its own timeout.
    timers: 1,
  },
  {
    name: 'a 401, and a stop while waiting for the refresh: the 401 is the answer',
    script: [expired],
    policy,
    limits: neverRefreshes,
    abort: 'look',
    stops: true,
    delays: [],
    hits: 1,
    status: 401,
    body: 'expired',
    reason: 'final',
    timers: 1,
  },
];
