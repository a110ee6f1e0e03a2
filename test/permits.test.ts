import {
  constant,
  createPolicy,
  type EbbEvent,
  type Limit,
  type Permit,
  type PolicyOptions,
  retry,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { expect, test } from 'vitest';
import { clients } from './clients.ts';
import { refusingUrl } from './refusing.ts';
import { type Step, upstream } from './server.ts';
import { turns, until } from './until.ts';

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };
const enough = new Error('enough');

/** A limit whose permits write how they hear of the end of their attempt. */
function listening() {
  const heard: string[][] = [];
  const give = (): Permit => {
    const told: string[] = [];
    heard.push(told);
    return {
      cancel: () => void told.push('given back'),
      settle: (outcome) => void told.push(outcome.type === 'response' ? `${outcome.status}` : outcome.kind),
    };
  };
  const limit: Limit = { name: 'listening', take: give, planRetry: give };
  return { heard, limit };
}

/** The state of one request, for those who end it. */
interface Running {
  readonly clock: VirtualClock;
  readonly abort: AbortController;
  /** Resolves once the server has so many requests. */
  seen(count: number): Promise<void>;
  /** Resolves once ebb has told of this. */
  told(type: EbbEvent['type']): Promise<void>;
}

type Meanwhile = (running: Running) => unknown;

const late: Meanwhile = async ({ clock, seen }) => {
  await seen(1);
  await clock.advance(1_000);
};
/** Tokens for so many attempts, and no more. */
const tokensFor = (clock: VirtualClock, attempts: number) =>
  tokenBucket({ capacity: 1, initialTokens: attempts, refillPerSecond: 1e-3, clock });
/** The permits in their order: of attempts, and of the retries before them. */
const ENDINGS: Record<
  string,
  readonly [
    script: readonly Step[] | 'refused',
    options: (clock: VirtualClock) => PolicyOptions,
    heard: string,
    meanwhile?: Meanwhile,
  ]
> = {
  'an answer': [[up], () => ({}), '200'],
  'a retry, and its answer': [[down, up], () => ({}), '503, 200, 200'],
  'a refused connection': ['refused', () => ({ maxRetries: 0 }), 'connect'],
  'a lost connection': [['reset'], () => ({ maxRetries: 0 }), 'network'],
  'the timeout of the attempt': [['hang'], () => ({ attemptTimeoutMs: 500, maxRetries: 0 }), 'timeout', late],
  'the total timeout': [['hang'], () => ({ totalTimeoutMs: 500 }), 'timeout', late],
  'the total timeout, of a retry': [
    [down, 'hang'],
    () => ({ totalTimeoutMs: 500 }),
    '503, timeout, timeout',
    async ({ clock, seen }) => {
      await seen(2);
      await clock.advance(1_000);
    },
  ],
  'an abort of the attempt': [
    ['hang'],
    () => ({}),
    'aborted',
    async ({ seen, abort }) => {
      await seen(1);
      abort.abort(enough);
    },
  ],
  'an abort of the wait for another limit': [
    [up],
    (clock) => ({ bucket: tokensFor(clock, 0) }),
    'given back',
    async ({ abort }) => {
      await turns(5);
      abort.abort(enough);
    },
  ],
  'an abort of the backoff': [
    [down],
    () => ({ backoff: constant(400) }),
    '503, given back',
    async ({ told, abort }) => {
      await told('retry');
      abort.abort(enough);
    },
  ],
};

test('also where a client below has judged it, and the retry that was sent stays paid', async () => {
  const { heard, limit } = listening();
  const budget = retryBudget({ reserve: 2, ratio: 0 });
  let calls = 0;
  const lost = new TypeError('lost', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  const inner = createFetch({ backoff: constant(0), maxRetries: 1 }, () => Promise.reject(lost));
  const work = (): Promise<unknown> => {
    calls += 1;
    return calls === 1 ? Promise.reject(lost) : inner('https://a.test/');
  };
  await expect(retry(work, { limits: [limit], budget, backoff: constant(0) })).rejects.toBe(lost);
  expect([calls, heard.join(), budget.balance]).toEqual([2, 'network,aborted,aborted', 1]);
});

test.each(
  Object.keys(clients).flatMap((client) => Object.keys(ENDINGS).map((ending) => [client, ending] as const)),
)('%s: every permit hears once how its attempt has ended, by %s', async (name, ending) => {
  const [script, options, expected, meanwhile] = ENDINGS[ending] as (typeof ENDINGS)[string];
  const clock = virtualClock({ startMs: 0 });
  const server = await upstream(script === 'refused' ? [] : script);
  const { heard, limit } = listening();
  const events: EbbEvent[] = [];
  const given = options(clock);
  const policy = createPolicy({
    clock,
    backoff: constant(0),
    onEvent: (event) => void events.push(event),
    ...given,
    limits: [...(given.limits ?? []), limit],
  });
  const client = (clients[name] as (typeof clients)['fetch'])(policy);
  const abort = new AbortController();
  const url = script === 'refused' ? await refusingUrl() : server.url;
  const sent = client.send(url, {}, abort.signal).catch(() => undefined);
  await meanwhile?.({
    clock,
    abort,
    seen: (count) => until(() => server.seen.length === count),
    told: (type) => until(() => events.some((event) => event.type === type)),
  });
  await sent;
  expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
  expect(heard.map((told) => told.join(' and ')).join(', ')).toBe(expected);
  await client.close();
  await server.close();
});
