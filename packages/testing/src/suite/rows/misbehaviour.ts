import { type Clock, constant, type PolicyOptions, tokenBucket } from '@ebb/core';
import type { Limits, Row } from '../row.ts';
import { down, up } from '../step.ts';

const fast: PolicyOptions = { backoff: constant(10) };

const whole = { delays: [10], hits: 2, status: 200, body: '1234567890' };

/** A bucket with a single token, which does not refill in the time of a row. */
const oneToken = (clock: Clock): Limits => ({
  bucket: tokenBucket({ capacity: 1, refillPerSecond: 1e-9, nonConforming: 'reject', clock }),
});

/** Servers and connections that fail. */
export const misbehaving: readonly Row[] = [
  {
    name: 'a reset before the response',
    script: ['reset', up],
    policy: fast,
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a reset before the response to a POST',
    script: ['reset'],
    request: { method: 'POST', body: 'text' },
    delays: [],
    hits: 1,
    reason: 'not-idempotent',
  },
  {
    name: 'resets on every attempt',
    script: ['reset'],
    policy: { ...fast, maxRetries: 2 },
    delays: [10, 10],
    hits: 3,
    reason: 'retries-exhausted',
  },
  {
    name: 'a backoff that waits 400 ms after a lost connection, else 50, and longer for a search',
    // A connection that was kept, after a response or for a preflight, Bun, Deno and browsers replace by themselves.
    script: ['reset', 'reset', down, up],
    policy: {
      backoff: ({ outcome, request }) =>
        (outcome?.type === 'failure' && outcome.kind === 'network' ? 400 : 50) *
        (request?.header('accept') === 'text/search' ? 2 : 1),
    },
    request: { headers: { accept: 'text/search' } },
    delays: [800, 800, 100],
    hits: 4,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a refused connection',
    script: 'refused',
    policy: { ...fast, maxRetries: 2 },
    delays: [10, 10],
    hits: 0,
    reason: 'retries-exhausted',
    needs: ['sockets'],
  },
  {
    name: 'a POST whose connection is refused',
    script: 'refused',
    request: { method: 'POST', body: 'text' },
    policy: { ...fast, maxRetries: 2 },
    delays: [10, 10],
    hits: 0,
    reason: 'retries-exhausted',
    needs: ['sockets'],
    by: { hidesRefusals: { delays: [], reason: 'not-idempotent' } },
  },
  {
    name: 'a refused connection returns its token to the bucket',
    script: 'refused',
    policy: { ...fast, maxRetries: 2 },
    limits: oneToken,
    delays: [10, 10],
    hits: 0,
    reason: 'retries-exhausted',
    needs: ['sockets'],
    by: { hidesRefusals: { delays: [10], reason: 'limited' } },
  },
  {
    name: 'a reset keeps its token: the request may have reached the server',
    script: ['reset', up],
    policy: fast,
    limits: oneToken,
    delays: [10],
    hits: 1,
    reason: 'limited',
  },
  {
    name: 'a 503 whose body never ends',
    script: ['endless-503', up],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    needs: ['sockets'],
    // Without a limit for the attempt such a client would wait for the end of the body.
    by: { wholeBodies: { policy: { attemptTimeoutMs: 100 } } },
  },
  {
    name: 'a slow body',
    script: [down, 'slow-200'],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: '1234567890',
    reason: 'success',
    needs: ['sockets'],
  },
  {
    name: 'a late response',
    script: [down, 'late-200'],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    needs: ['sockets'],
  },
  {
    // Once the caller has the headers, the reader of the body gets the error.
    name: 'a body that breaks off',
    script: ['half-body', up],
    policy: fast,
    delays: [],
    hits: 1,
    reason: 'success',
    needs: ['sockets'],
    by: { wholeBodies: { delays: [10], hits: 2, status: 200, body: 'up' } },
  },
  {
    name: 'a body with an ETag that breaks off',
    script: ['half-download', 'rest-of-download'],
    policy: fast,
    delays: [],
    hits: 1,
    reason: 'success',
    needs: ['sockets'],
    by: { resumes: whole, wholeBodies: whole },
  },
  {
    name: 'no response within attemptTimeoutMs',
    script: ['hang', up],
    policy: { ...fast, attemptTimeoutMs: 100 },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
    needs: ['sockets'],
  },
  {
    name: 'no response to a POST within attemptTimeoutMs',
    script: ['hang'],
    request: { method: 'POST', body: 'text' },
    policy: { ...fast, attemptTimeoutMs: 100 },
    delays: [],
    hits: 1,
    reason: 'not-idempotent',
    needs: ['sockets'],
  },
  {
    name: 'a response before the upload is complete',
    script: ['early-503', up],
    request: { method: 'PUT', body: 'x'.repeat(4_000_000) },
    policy: fast,
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
    needs: ['sockets'],
  },
];
