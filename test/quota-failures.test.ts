import {
  type Costs,
  constant,
  createPolicy,
  type InspectedResponse,
  type PolicyOptions,
  quotaBucket,
} from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { costFromResponse } from '@ebb/providers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Client, clients } from './clients.ts';
import { refusingUrl } from './refusing.ts';
import { type Step, type Upstream, upstream } from './server.ts';
import { until } from './until.ts';

type Said = (response: InspectedResponse) => unknown;

/** 429s cost their request, and no tokens: the provider counts refusals. Others cost what they say. */
const said: Said = async (response) => {
  if (response.status === 429) return { tokens: 0 };
  const { used } = Object(await response.json()) as { used?: number };
  return used === undefined ? undefined : { tokens: used };
};

const boom = (): never => {
  throw new Error('boom');
};

const answer = (used: number): Step => ({ status: 200, body: `{"used":${used}}` });
const refusal: Step = { status: 429, body: '{}' };

interface Row {
  readonly story: string;
  readonly script: readonly Step[] | 'refused';
  readonly actual?: Said | undefined;
  readonly options?: PolicyOptions;
  /** The status that the caller gets; left out if the call, or reading its body, rejects. */
  readonly status?: number;
  /** The error of axios carries a response whose body breaks, and {@link clients} return that. */
  readonly axiosStatus?: number;
  /** What is left of 10 requests and 100 tokens. Each attempt takes 1 and 50. */
  readonly left: readonly [requests: number, tokens: number];
  readonly warning?: string;
}

const rows: readonly Row[] = [
  { story: 'what was not used comes back', script: [answer(30)], status: 200, left: [9, 70] },
  { story: 'more than was reserved is a debt', script: [answer(180)], status: 200, left: [9, -80] },
  {
    story: 'an answer that says nothing',
    script: [{ status: 200, body: 'text' }],
    status: 200,
    left: [9, 50],
  },
  { story: 'a refused connection', script: 'refused', left: [10, 100] },
  {
    story: 'a refused connection, again and again',
    script: 'refused',
    options: { maxRetries: 2 },
    left: [10, 100],
  },
  { story: 'a connection that breaks', script: ['reset'], left: [9, 50] },
  { story: 'a body that breaks', script: ['half-body'], axiosStatus: 200, left: [9, 50] },
  {
    story: 'a refusal, then an answer',
    script: [refusal, answer(30)],
    options: { maxRetries: 1 },
    status: 200,
    left: [8, 70],
  },
  { story: 'a refusal without actualCost', script: [refusal], actual: undefined, status: 429, left: [9, 50] },
  {
    story: 'a server that is down',
    script: [{ status: 503 }, answer(30)],
    options: { maxRetries: 1 },
    status: 200,
    left: [8, 20],
  },
  ...(
    [
      ['throws', boom, 'boom'],
      [
        'names an unknown unit',
        () => ({ tokns: 1 }),
        'settle: actualCost has no option "tokns"; it takes requests, tokens',
      ],
    ] as const
  ).map(
    ([story, actual, warning]): Row => ({
      story: `actualCost ${story}`,
      script: [answer(30)],
      actual,
      status: 200,
      left: [9, 50],
      warning: `actualCost failed, and is ignored: actualCost failed: ${warning}`,
    }),
  ),
];

const wrong: readonly [cost: unknown, message: string][] = [
  [{ tokns: 1 }, 'cost has no option "tokns"; it takes requests, tokens'],
  [{ tokens: Number.NaN }, 'cost.tokens must be a finite number ≥ 0, got NaN'],
  [JSON.parse('{"__proto__":1}'), 'cost has no option "__proto__"'],
];

describe.each(Object.entries(clients))('%s', (name, makeClient) => {
  const servers: Upstream[] = [];
  let clock: VirtualClock;
  let client: Client | undefined;
  let warnings: string[];
  beforeEach(() => {
    clock = virtualClock({ startMs: 0 });
    warnings = [];
    vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await client?.close();
    client = undefined;
    for (const server of servers.splice(0)) await server.close();
    expect(clock.pending).toBe(0);
  });

  function setUp(options: PolicyOptions, settled: boolean) {
    const bucket = quotaBucket({
      limits: {
        requests: { capacity: 10, refillPerSecond: 1e-9, chargeOn: settled ? 'completion' : 'grant' },
        tokens: { capacity: 100, refillPerSecond: 1e-9, chargeOn: settled ? 'completion' : 'grant' },
      },
      maxPauseMs: 1e14,
      clock,
    });
    client = makeClient(
      createPolicy({
        clock,
        random: () => 0,
        backoff: constant(0),
        maxRetries: 0,
        bucket,
        cost: { requests: 1, tokens: 50 },
        ...options,
      }),
    );
    const units = () => Object.values(bucket.stats().units ?? {});
    return { client, left: () => units().map(({ tokens }) => Math.round(tokens)) };
  }

  async function urlOf(script: Row['script']): Promise<string> {
    if (script === 'refused') return refusingUrl();
    const server = await upstream(script);
    servers.push(server);
    return server.url;
  }

  describe.each([false, true])('settled: %s', (settled) => {
    test.each(rows)('$story', async (row) => {
      const actual = 'actual' in row ? row.actual : said;
      // A function of its own: each is reported once.
      const actualCost =
        actual &&
        costFromResponse(((response) => actual(response)) as (
          response: InspectedResponse,
        ) => Costs | undefined);
      const { client, left } = setUp({ actualCost, ...row.options }, settled);
      const got = await client.send(await urlOf(row.script), {}).catch(() => undefined);
      expect(got?.status).toBe((name === 'axios' ? row.axiosStatus : undefined) ?? row.status);
      await until(() => String(left()) === String(row.left)).catch(() => undefined);
      expect(left()).toEqual(row.left);
      expect(warnings).toEqual(row.warning === undefined ? [] : [expect.stringContaining(row.warning)]);
    });
  });

  test.each(wrong)(
    'a function that returns %j fails its request before it is sent',
    async (cost, message) => {
      const { client, left } = setUp({ cost: () => cost as Costs }, false);
      const server = await upstream([answer(1)]);
      servers.push(server);
      const failed = await client.send(server.url, {}).catch((error: unknown) => error);
      const { cause } = failed as Error;
      const hookError = cause instanceof Error && cause.name === 'HookError' ? cause : failed;
      expect(hookError).toMatchObject({ name: 'HookError', hook: 'cost' });
      expect((hookError as Error).message).toContain(message);
      expect(server.seen).toEqual([]);
      expect(left()).toEqual([10, 100]);
    },
  );
});
