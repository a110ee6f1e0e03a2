// Also runs in browsers: imports nothing from Node.
import { constant } from '@ebb/core';
import type { Scenario } from './scenarios.ts';
import type { Step } from './server.ts';

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };
const long: Step = { status: 503, body: 'x'.repeat(300_000) };
const policy = { backoff: constant(10), totalTimeoutMs: 100 };
/** A fetch over a dispatcher has the error of ebb as its cause. */
const overDispatcher = {
  "Node's fetch": { thrown: 'TypeError', why: 'fetch wraps the errors of its dispatcher' },
};
const again = { hits: 3, why: 'Deno repeats an aborted request that used a kept connection' };
const ended = { reason: 'deadline-exceeded', failure: 'timeout', socketsOnly: true } as const;

/** The total timeout bounds the call until its response: it ends an attempt in flight. */
export const bounded: Scenario[] = [
  {
    name: 'no response within totalTimeoutMs',
    script: ['hang', up],
    policy,
    delays: [],
    hits: 1,
    thrown: 'TimeoutError',
    but: { axios: { thrown: 'AxiosError' }, undici: { thrown: 'HeadersTimeoutError' } },
    butFor: overDispatcher,
    ...ended,
  },
  {
    name: 'no response to a POST within totalTimeoutMs',
    script: ['hang'],
    request: { method: 'POST', body: 'text' },
    policy,
    delays: [],
    hits: 1,
    ...ended,
  },
  {
    name: 'no response to a retry within totalTimeoutMs: the response before it',
    script: [down, 'hang'],
    policy,
    delays: [10],
    hits: 2,
    status: 503,
    body: 'down',
    butFor: { 'axios, http in Deno': again },
    ...ended,
  },
  {
    name: 'the same with a response before that was too long to keep',
    script: [long, 'hang'],
    policy,
    delays: [10],
    hits: 2,
    but: {
      fetch: { thrown: 'TimeoutError' },
      undici: { thrown: 'HeadersTimeoutError' },
      // It has the whole body before ebb sees the response.
      axios: { status: 503, body: '300000 characters' },
    },
    butFor: { ...overDispatcher, 'axios, http in Deno': again },
    ...ended,
  },
  {
    name: 'the same after a connection that was lost',
    script: ['reset', 'hang'],
    policy,
    delays: [10],
    hits: 2,
    thrown: 'TimeoutError',
    but: { axios: { thrown: 'AxiosError' }, undici: { thrown: 'HeadersTimeoutError' } },
    butFor: overDispatcher,
    ...ended,
  },
  {
    name: 'attemptTimeoutMs ends an attempt before totalTimeoutMs does',
    script: ['hang', up],
    policy: { ...policy, attemptTimeoutMs: 50 },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
    socketsOnly: true,
  },
];
