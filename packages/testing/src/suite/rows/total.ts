import { constant } from '@ebb/core';
import type { Row } from '../row.ts';
import { down, type Step, up } from '../step.ts';

const long: Step = { status: 503, body: 'x'.repeat(300_000) };
const policy = { backoff: constant(10), totalTimeoutMs: 100 };
const ended = { reason: 'deadline-exceeded', failure: 'timeout', needs: ['sockets'] } as const;

/** The total timeout bounds the call until its response: it ends an attempt in flight. */
export const bounded: readonly Row[] = [
  {
    name: 'no response within totalTimeoutMs',
    script: ['hang', up],
    policy,
    delays: [],
    hits: 1,
    thrown: 'a timeout',
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
    ...ended,
  },
  {
    name: 'the same with a response before that was too long to keep: reading it fails',
    script: [long, 'hang'],
    policy,
    delays: [10],
    hits: 2,
    by: { wholeBodies: { status: 503, body: '300000 characters' } },
    ...ended,
  },
  {
    name: 'the same after a connection that was lost',
    script: ['reset', 'hang'],
    policy,
    delays: [10],
    hits: 2,
    thrown: 'a timeout',
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
    needs: ['sockets'],
  },
];
