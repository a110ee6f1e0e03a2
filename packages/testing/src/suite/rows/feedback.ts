import { constant, type Outcome, type PolicyOptions, serverFeedback } from '@ebb/core';
import type { Row } from '../row.ts';
import { up } from '../step.ts';

const fast: PolicyOptions = { backoff: constant(10) };
/** Reads all that a server may say. */
const attentive: PolicyOptions = { ...fast, feedback: serverFeedback };

const isAccepted = (outcome: Outcome): boolean => outcome.type === 'response' && outcome.status === 202;

/** Feedback of the server besides its status. */
export const feedback: readonly Row[] = [
  ...(
    [
      ['retry-after-ms', { 'retry-after-ms': '300' }, 300],
      ['retry-after-ms beside its rounding', { 'retry-after-ms': '300', 'retry-after': '1' }, 300],
      ['retry-after-ms beside a longer Retry-After', { 'retry-after-ms': '300', 'retry-after': '2' }, 2_000],
      ['x-ms-retry-after-ms', { 'x-ms-retry-after-ms': '90' }, 90],
      ['x-amz-retry-after', { 'x-amz-retry-after': '1500' }, 1_500],
      ['a quota that is used up', { ratelimit: '"default";r=0;t=30' }, 30_000],
      [
        'a quota that refills, of which too little is left',
        {
          'x-ratelimit-limit-tokens': '30000',
          'x-ratelimit-remaining-tokens': '500',
          'x-ratelimit-reset-tokens': '59s',
        },
        2_000,
        1_500,
      ],
    ] as const
  ).map(
    ([name, headers, delayMs, cost = 1]): Row => ({
      name: `a 429 with ${name}, to a POST`,
      script: [{ status: 429, headers, body: 'slow down' }, up],
      request: { method: 'POST', body: 'text' },
      policy: { ...(name.startsWith('retry-after-ms') ? fast : attentive), cost },
      delays: [delayMs],
      hits: 2,
      status: 200,
      reason: 'success',
    }),
  ),
  {
    name: 'Retry-After of a 202 that classify calls transient',
    script: [{ status: 202, headers: { 'retry-after': '2' } }, up],
    policy: { ...fast, classify: (outcome) => (isAccepted(outcome) ? 'transient' : 'success') },
    delays: [2_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a server that says "retry" after a POST',
    script: [{ status: 500, headers: { 'x-should-retry': 'true' }, body: 'down' }, up],
    request: { method: 'POST', body: 'text' },
    policy: attentive,
    delays: [10],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'a server that says "do not retry"',
    script: [{ status: 503, headers: { 'x-should-retry': 'false', 'retry-after': '1' }, body: 'down' }],
    policy: attentive,
    delays: [],
    hits: 1,
    status: 503,
    body: 'down',
    reason: 'final',
  },
  {
    name: 'a 403 with a wait, to a POST',
    script: [{ status: 403, headers: { 'retry-after': '2' }, body: 'no' }, up],
    request: { method: 'POST', body: 'text' },
    policy: fast,
    delays: [2_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a 403 without a wait',
    script: [{ status: 403, body: 'no' }],
    delays: [],
    hits: 1,
    status: 403,
    reason: 'final',
  },
  {
    name: 'with feedback: false the headers of a response are ignored',
    script: [{ status: 503, headers: { 'retry-after': '2', 'x-should-retry': 'false' }, body: 'down' }, up],
    policy: { ...fast, feedback: false },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
];
