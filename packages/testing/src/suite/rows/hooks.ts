import { classifyHttpByMeaning, constant, type PolicyOptions } from '@ebb/core';
import type { Limits, Row } from '../row.ts';
import { down, up } from '../step.ts';

const fast: PolicyOptions = { backoff: constant(10) };
const post = { method: 'POST', body: 'text' };

/** Another key each time that it is asked for. */
const countedKeys = (): Limits => {
  let keys = 0;
  return { idempotencyKey: () => `key ${++keys}` };
};

/** Functions of the user: headers, keys, verdicts. */
export const hooks: readonly Row[] = [
  {
    name: 'a POST with idempotencyKey',
    script: [down, up],
    request: post,
    policy: { ...fast, idempotencyKey: true },
    delays: [10],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'a POST has one key, which each of its attempts carries',
    script: [down, down, up],
    request: post,
    policy: fast,
    limits: countedKeys,
    delays: [10, 10],
    hits: 3,
    status: 200,
    reason: 'success',
    carried: { header: 'idempotency-key', values: ['key 1', 'key 1', 'key 1'] },
  },
  {
    name: 'a POST that methods allows',
    script: [down, up],
    request: post,
    policy: { ...fast, methods: ({ method }) => method === 'POST' },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a POST whose beforeAttempt keeps the key of ebb',
    script: [down, up],
    request: post,
    policy: { ...fast, idempotencyKey: () => 'a', beforeAttempt: () => ({ 'Idempotency-Key': 'a' }) },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a POST whose beforeAttempt removes the key of ebb',
    script: [down],
    request: post,
    policy: { ...fast, idempotencyKey: true, beforeAttempt: () => ({ 'idempotency-key': undefined }) },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'not-idempotent',
  },
  {
    name: 'a POST whose beforeAttempt changes the key of ebb on the retry',
    script: [down, down],
    request: post,
    policy: {
      ...fast,
      idempotencyKey: () => 'a',
      beforeAttempt: async ({ attempt }) => ({ 'Idempotency-Key': attempt === 1 ? 'a' : 'b' }),
    },
    delays: [10],
    hits: 2,
    status: 503,
    reason: 'not-idempotent',
    carried: { header: 'idempotency-key', values: ['a', 'b'] },
  },
  {
    name: 'a POST whose beforeAttempt changes the key of the caller',
    script: [down],
    request: { ...post, headers: { 'Idempotency-Key': 'a' } },
    policy: { ...fast, beforeAttempt: () => new Headers({ 'idempotency-key': 'b' }) },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'not-idempotent',
  },
  {
    name: 'a POST with a key of the caller, and a beforeAttempt that leaves it',
    script: [down, up],
    request: { ...post, headers: { 'Idempotency-Key': 'a' } },
    policy: { ...fast, beforeAttempt: () => [['authorization', 'b']] },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a POST that methods allows by its body',
    script: [down, up],
    request: post,
    policy: { ...fast, methods: ({ body }) => body === 'text' },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a POST after a 503 with a Retry-After',
    script: [{ status: 503, body: 'down', headers: { 'retry-after': '2' } }],
    request: post,
    policy: fast,
    delays: [],
    hits: 1,
    status: 503,
    reason: 'not-idempotent',
  },
  {
    name: 'the same with classifyHttpByMeaning',
    script: [{ status: 503, body: 'down', headers: { 'retry-after': '2' } }, up],
    request: post,
    policy: { ...fast, classify: classifyHttpByMeaning },
    delays: [2_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'beforeAttempt that returns a Map',
    script: [up],
    policy: { ...fast, beforeAttempt: () => new Map([['x-a', '1']]) as never },
    delays: [],
    hits: 0,
    reason: 'final',
  },
  {
    name: 'methods that returns a promise',
    script: [down],
    request: post,
    policy: { ...fast, methods: (async () => true) as never },
    delays: [],
    hits: 1,
    reason: 'final',
  },
  {
    name: 'a 401 that is tried once more, as after a refresh of the token',
    script: [{ status: 401 }, { status: 401 }],
    request: post,
    policy: {
      ...fast,
      classify: (outcome, _request, attempt) =>
        outcome.type === 'response' && outcome.status === 401 && attempt === 1 ? 'refused' : 'final',
    },
    delays: [10],
    hits: 2,
    status: 401,
    reason: 'final',
  },
  {
    name: 'beforeAttempt that fails',
    script: [up],
    policy: { ...fast, beforeAttempt: () => Promise.reject(new Error('no key')) },
    delays: [],
    hits: 0,
    reason: 'final',
  },
  {
    name: 'wrapAttempt that sends each attempt',
    script: [{ status: 503 }, up],
    policy: { ...fast, wrapAttempt: (send) => send() },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'wrapAttempt that fails before it sends',
    script: [up],
    policy: {
      ...fast,
      wrapAttempt: () => {
        throw new Error('no context');
      },
    },
    delays: [],
    hits: 0,
    reason: 'final',
  },
  {
    name: 'hooks that take 60 ms of attemptTimeoutMs: 100 before each attempt',
    script: [down, down, up],
    policy: { ...fast, attemptTimeoutMs: 100 },
    limits: (clock) => ({
      beforeAttempt: () => {
        clock.tick(60);
        return undefined;
      },
    }),
    delays: [10, 10],
    hits: 3,
    status: 200,
    reason: 'success',
  },
];
