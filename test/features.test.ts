import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  adaptiveThrottle,
  concurrencyLimit,
  constant,
  createPolicy,
  inspectBody,
  type PolicyOptions,
  perKey,
  type RequestTraits,
  refreshOn401,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { deadline } from '@ebb/core/deadlines';
import { idempotencyAnswers } from '@ebb/core/idempotency';
import { policyBucket } from '@ebb/core/quotas';
import { replayOnStaleConnection } from '@ebb/core/stale-connections';
import { costFromResponse } from '@ebb/providers';
import { describe, expect, test } from 'vitest';
import { clients, type MakeClient } from './clients.ts';
import { type Step, upstream } from './server.ts';
import { turns } from './until.ts';

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };

/** What a part does. */
interface Row {
  /** The option that brings it. Without that the row has another result. */
  readonly option: keyof PolicyOptions;
  readonly script: readonly Step[];
  /** Made anew for each client. The requests of a row may be retried once. */
  readonly policy: () => PolicyOptions;
  /** The paths of the requests, one after the other unless they are sent at once. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly atOnce?: true;
  /** How many requests the upstream receives, and how many of them at once. */
  readonly hits: number;
  readonly mostAtOnce: number;
  /** The reasons of the ends. */
  readonly ends: readonly string[];
}

const onlyToken = () => tokenBucket({ capacity: 1, refillPerSecond: 1e-6, nonConforming: 'reject' });
const ofPath = ({ url }: RequestTraits): string => new URL(url).pathname;

/** The limits and plugins of core, by their folders; and costs, of @ebb/providers. */
const ROWS: Readonly<Record<string, Row>> = {
  bucket: {
    option: 'bucket',
    policy: () => ({ bucket: onlyToken() }),
    script: [down, up],
    paths: ['/'],
    hits: 1,
    mostAtOnce: 1,
    ends: ['limited'],
  },
  budget: {
    option: 'budget',
    policy: () => ({ budget: retryBudget({ ratio: 0, reserve: 1 }) }),
    script: [down],
    paths: ['/', '/'],
    hits: 3,
    mostAtOnce: 1,
    ends: ['retries-exhausted', 'budget-exhausted'],
  },
  concurrency: {
    option: 'concurrency',
    policy: () => ({ concurrency: concurrencyLimit({ maxConcurrent: 2 }) }),
    script: ['slow-200'],
    paths: ['/', '/', '/', '/', '/'],
    atOnce: true,
    hits: 5,
    mostAtOnce: 2,
    ends: ['success', 'success', 'success', 'success', 'success'],
  },
  cost: {
    option: 'actualCost',
    // Without what the first has really cost there are no tokens for the second.
    policy: () => ({
      bucket: tokenBucket({ capacity: 10, refillPerSecond: 1e-6, nonConforming: 'reject' }),
      cost: 6,
      actualCost: costFromResponse(() => 1),
    }),
    script: [up],
    paths: ['/', '/'],
    hits: 2,
    mostAtOnce: 1,
    ends: ['success', 'success'],
  },
  inspect: {
    option: 'inspect',
    policy: () => ({
      inspect: inspectBody(async (response) => {
        return (await response.text()) === 'up' ? undefined : { verdict: 'transient' };
      }),
    }),
    script: [{ status: 200, body: 'down' }, up],
    paths: ['/'],
    hits: 2,
    mostAtOnce: 1,
    ends: ['success'],
  },
  'per-key': {
    option: 'bucket',
    policy: () => ({ bucket: perKey(onlyToken, { keyOf: ofPath }), maxRetries: 0 }),
    script: [up],
    paths: ['/a', '/b', '/a'],
    hits: 2,
    mostAtOnce: 1,
    ends: ['success', 'success', 'limited'],
  },
  throttle: {
    option: 'throttle',
    policy: () => {
      const held = adaptiveThrottle({ whenSkipped: 'fail' });
      held.isolate();
      return { throttle: held };
    },
    script: [up],
    paths: ['/'],
    hits: 0,
    mostAtOnce: 0,
    ends: ['overload'],
  },
  deadlines: {
    option: 'plugins',
    policy: () => ({ plugins: [deadline()], totalTimeoutMs: 0 }),
    script: [up],
    paths: ['/'],
    hits: 0,
    mostAtOnce: 0,
    ends: ['limited'],
  },
  idempotency: {
    option: 'plugins',
    policy: () => ({
      plugins: [idempotencyAnswers({ waitMs: 0 })],
      classify: () => 'transient',
    }),
    script: [{ status: 422 }, up],
    paths: ['/'],
    headers: { 'idempotency-key': 'order-1' },
    hits: 1,
    mostAtOnce: 1,
    ends: ['final'],
  },
  'policy-bucket': {
    option: 'bucket',
    policy: () => ({ bucket: policyBucket({ maxWaitMs: 1 }) }),
    script: [{ status: 200, headers: { ratelimit: '"day";r=0;t=900' } }, up],
    paths: ['/', '/'],
    hits: 1,
    mostAtOnce: 1,
    ends: ['success', 'limited'],
  },
  'stale-connection': {
    option: 'plugins',
    policy: () => ({
      plugins: [
        replayOnStaleConnection(),
        // The connection of the request before is free by then.
        { name: 'later', publicHeaders: () => turns(5).then(() => ({})) },
      ],
      maxRetries: 0,
    }),
    script: [up, 'reset', up],
    paths: ['/', '/'],
    hits: 3,
    mostAtOnce: 1,
    ends: ['success', 'success'],
  },
  'refresh-on-401': {
    option: 'plugins',
    policy: () => ({
      plugins: [refreshOn401({ refresh: () => ({ authorization: 'new' }) })],
      trustedOrigins: () => true,
      maxRetries: 0,
    }),
    script: [{ status: 401 }, up],
    paths: ['/'],
    hits: 2,
    mostAtOnce: 1,
    ends: ['success'],
  },
};

/** Those that are no option of a policy, and the test that plays the whole suite over them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  deduplicate: 'test/answer.test.ts',
  failover: 'test/failover.test.ts',
};

test('each limit and plugin has a row', () => {
  const folders = globSync('packages/core/src/{limits,plugins}/*/').map((path) => basename(path));
  expect([...Object.keys(ROWS), ...Object.keys(ELSEWHERE)].sort()).toEqual([...folders, 'cost'].sort());
  for (const path of Object.values(ELSEWHERE)) expect(readFileSync(path, 'utf8')).toMatch(/^ *suite\(/m);
});

/** The result of a row with options of a policy. */
async function play(makeClient: MakeClient, row: Row, options: PolicyOptions) {
  const server = await upstream(row.script);
  const ends: string[] = [];
  const policy = createPolicy({
    maxRetries: 1,
    backoff: constant(0),
    onEvent: (event) => {
      if (event.type === 'end') ends.push(event.reason);
    },
    ...options,
  });
  const client = makeClient(policy);
  const settling: Promise<unknown>[] = [];
  const sent = row.headers ? { headers: row.headers } : {};
  try {
    for (const path of row.paths) {
      const settled = client.send(new URL(path, server.url).href, sent).catch(() => undefined);
      settling.push(settled);
      if (row.atOnce === undefined) await settled;
    }
    await Promise.all(settling);
    return { hits: server.seen.length, mostAtOnce: server.mostAtOnce(), ends };
  } finally {
    await client.close();
    await server.close();
  }
}

describe.each(Object.entries(clients))('%s', (_, makeClient) => {
  test.each(Object.entries(ROWS))('%s', async (_, row) => {
    const { hits, mostAtOnce, ends } = row;
    const options = row.policy();
    expect(await play(makeClient, row, options)).toEqual({ hits, mostAtOnce, ends });
    const { [row.option]: part, ...without } = options;
    expect(part).toBeDefined();
    expect(await play(makeClient, row, without)).not.toEqual({ hits, mostAtOnce, ends });
  });
});
