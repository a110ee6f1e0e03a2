import { constant, type PolicyOptions } from '@ebb/core';
import type { Row } from '../row.ts';
import { type Step, up } from '../step.ts';

const toFirst: Step = { status: 307, to: 'first', body: 'moved' };
const toOther: Step = { status: 307, to: 'other', body: 'moved' };

const credential: PolicyOptions = {
  backoff: constant(10),
  beforeAttempt: () => ({ authorization: 'secret' }),
};
const found = {
  delays: [],
  status: 200,
  body: 'up',
  reason: 'success',
  needs: ['redirects', 'sockets'],
} as const;

/** Headers of `beforeAttempt` go to the trusted origin alone; an idempotency key follows each redirect. */
export const redirects: readonly Row[] = [
  {
    name: 'a redirect within its origin keeps a credential of beforeAttempt',
    script: [toFirst, up],
    policy: credential,
    hits: 2,
    carried: { header: 'authorization', values: ['secret', 'secret'] },
    ...found,
  },
  {
    name: 'a redirect to another origin drops a credential of beforeAttempt',
    script: [toOther, up],
    policy: credential,
    hits: 2,
    carried: { header: 'authorization', values: ['secret', undefined] },
    ...found,
  },
  {
    name: 'a redirect after a retry keeps a credential of beforeAttempt',
    script: [{ status: 503, body: 'down' }, toFirst, up],
    policy: credential,
    hits: 3,
    carried: { header: 'authorization', values: ['secret', 'secret', 'secret'] },
    ...found,
    delays: [10],
  },
  ...(['first', 'other'] as const).map(
    (to): Row => ({
      name: `a POST that is redirected to ${to === 'first' ? 'its' : 'another'} origin keeps its one idempotency key`,
      script: [{ status: 307, to, body: 'moved' }, up],
      request: { method: 'POST', body: 'text' },
      policy: { backoff: constant(10), idempotencyKey: ({ url }) => `a key for ${new URL(url).pathname}` },
      hits: 2,
      bodies: ['text', 'text'],
      carried: { header: 'idempotency-key', values: ['a key for /', 'a key for /'] },
      ...found,
    }),
  ),
];
