import { constant, type Plugin, type PolicyOptions } from '@ebb/core';
import type { Row } from '../row.ts';
import { down, up } from '../step.ts';

const header = 'authorization';
const signed: PolicyOptions = { beforeAttempt: () => ({ authorization: 'secret' }) };
const signs: Plugin = { name: 'signs', beforeAttempt: () => ({ authorization: 'secret' }) };
const labels: Plugin = { name: 'labels', publicHeaders: () => ({ trace: 'a' }) };

const others = ['https://other.test'];
const found = { delays: [], hits: 1, status: 200, body: 'up', reason: 'success' } as const;
const withIt = { ...found, carried: { header, values: ['secret'] } };
const withoutIt = { ...found, carried: { header, values: [undefined] } };

/** Who gets a header that may be a credential. */
export const trust: readonly Row[] = [
  {
    ...withIt,
    name: 'a credential for a trusted origin, with a retry',
    script: [down, up],
    policy: { ...signed, backoff: constant(10) },
    delays: [10],
    hits: 2,
    carried: { header, values: ['secret', 'secret'] },
  },
  {
    ...withoutIt,
    name: 'a credential for other origins, with a retry: it is not sent',
    script: [down, up],
    policy: { ...signed, backoff: constant(10), trustedOrigins: others },
    delays: [10],
    hits: 2,
    carried: { header, values: [undefined, undefined] },
  },
  {
    ...withIt,
    name: 'a credential for requests that a function trusts',
    script: [up],
    policy: {
      ...signed,
      trustedOrigins: ({ url, method }) => new URL(url).pathname === '/' && method === 'GET',
    },
  },
  {
    ...withoutIt,
    name: 'a credential for requests that a function trusts, and another request: it is not sent',
    script: [up],
    policy: { ...signed, trustedOrigins: ({ method }) => method === 'DELETE' },
  },
  {
    name: 'trustedOrigins that fails',
    script: [up],
    policy: {
      ...signed,
      trustedOrigins: () => {
        throw new Error('who knows');
      },
    },
    delays: [],
    hits: 0,
    thrown: 'HookError',
    reason: 'final',
  },
  {
    ...withIt,
    name: 'a credential of a plugin, for a trusted origin',
    script: [up],
    policy: { plugins: [signs] },
  },
  {
    ...withoutIt,
    name: 'a credential of a plugin, for other origins: it is not sent',
    script: [up],
    policy: { plugins: [signs], trustedOrigins: others },
  },
  {
    ...found,
    name: 'a label is no credential: any origin gets it',
    script: [up],
    policy: { plugins: [labels], trustedOrigins: [] },
    carried: { header: 'trace', values: ['a'] },
  },
  {
    ...found,
    name: 'an idempotency key is no credential: any origin gets it',
    script: [up],
    request: { method: 'POST', body: 'text' },
    policy: { idempotencyKey: () => 'a', trustedOrigins: [] },
    carried: { header: 'idempotency-key', values: ['a'] },
  },
  {
    ...withIt,
    name: 'a credential of one request, for an origin that the policy trusts',
    script: [up],
    request: { ebb: signed },
    policy: { trustedOrigins: () => true },
  },
  {
    ...withoutIt,
    name: 'a credential of one request, for an origin that the policy does not trust: it is not sent',
    script: [up],
    request: { ebb: signed },
    policy: { trustedOrigins: others },
  },
  {
    ...withoutIt,
    name: 'a credential of one request, for an origin that the request does not trust: it is not sent',
    script: [up],
    request: { ebb: { trustedOrigins: others } },
    policy: signed,
  },
  ...[signed, { plugins: [signs] }].map(
    (ebb): Row => ({
      ...withIt,
      name: `a credential of ${ebb === signed ? 'one request' : 'a plugin of one request'}, without trustedOrigins`,
      script: [up],
      request: { ebb },
      policy: { trustedOrigins: undefined },
    }),
  ),
];
