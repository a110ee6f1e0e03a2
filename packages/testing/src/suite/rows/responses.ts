import { classifyHttpByMeaning, connectRetry } from '@ebb/core';
import type { Row } from '../row.ts';
import { down, type Step, up } from '../step.ts';

const throttled: Step = { status: 429, body: 'slow down' };
const asBackoff = { delays: [1_000], hits: 2, status: 200, reason: 'success' };

/** Returns the numbers in turn. */
function inTurn(...numbers: readonly number[]): () => number {
  let at = 0;
  return () => numbers[at++ % numbers.length] ?? 0;
}

/** Which responses are retried, after which delays, and for how long. */
export const responses: readonly Row[] = [
  { name: '200', script: [up], delays: [], hits: 1, status: 200, body: 'up', reason: 'success' },
  { name: '204', script: [{ status: 204 }], delays: [], hits: 1, status: 204, reason: 'success' },
  {
    name: '404',
    script: [{ status: 404, body: 'no' }],
    delays: [],
    hits: 1,
    status: 404,
    body: 'no',
    reason: 'final',
  },
  {
    name: '503, then 200',
    script: [down, up],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
  },
  {
    name: 'the history of a call that was retried',
    script: [down, up],
    delays: [1_000],
    hits: 2,
    status: 200,
    reason: 'success',
    needs: ['history'],
  },
  {
    name: '429, then 200',
    script: [throttled, up],
    delays: [1_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  ...[500, 501, 502, 504, 505, 599].map((status) => ({
    name: `${status}, then 200`,
    script: [{ status }, up],
    ...asBackoff,
  })),
  {
    name: '501 with classifyHttpByMeaning',
    script: [{ status: 501 }],
    policy: { classify: classifyHttpByMeaning },
    delays: [],
    hits: 1,
    status: 501,
    reason: 'final',
  },
  {
    name: 'always 503: 1, 2, 4, 8, 16 s, then the last response, complete',
    script: [down, down, down, down, down, { status: 503, body: 'the last' }],
    delays: [1_000, 2_000, 4_000, 8_000, 16_000],
    hits: 6,
    status: 503,
    body: 'the last',
    reason: 'retries-exhausted',
  },
  {
    name: 'delays stay at the maximum backoff',
    script: [down, down, down, down, down, down, down, down, up],
    policy: { maxRetries: 8 },
    delays: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000],
    hits: 9,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a new random number for each delay',
    script: [down, down, up],
    policy: { random: inTurn(0.25, 0.75) },
    delays: [1_250, 2_750],
    hits: 3,
    status: 200,
    reason: 'success',
  },
  {
    name: 'maxRetries 0',
    script: [down],
    policy: { maxRetries: 0 },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'totalTimeoutMs leaves no time for a retry',
    script: [down],
    policy: { totalTimeoutMs: 999 },
    delays: [],
    hits: 1,
    status: 503,
    body: 'down',
    reason: 'deadline-exceeded',
  },
  {
    name: 'totalTimeoutMs leaves time for two retries',
    script: [down],
    policy: { totalTimeoutMs: 6_999 },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'deadline-exceeded',
  },
  {
    name: 'a backoff rule that gives up',
    script: [down],
    policy: { backoff: ({ retry }) => (retry > 1 ? undefined : 5) },
    delays: [5],
    hits: 2,
    status: 503,
    reason: 'backoff-exhausted',
  },
  {
    name: 'a backoff rule with its own number of retries',
    script: [down],
    policy: { backoff: connectRetry() },
    delays: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000],
    hits: 8,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'a backoff rule with its own number of retries, and fewer maxRetries',
    script: [down],
    policy: { backoff: connectRetry(), maxRetries: 2 },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'a backoff rule with its own number of retries, for one request',
    script: [down],
    request: { ebb: { backoff: connectRetry({ maxSleepMs: 4_000 }) } },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'an exhausted budget',
    script: [down],
    policy: { limits: [{ name: 'no-retries', take: () => undefined, planRetry: () => 'budget-exhausted' }] },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'budget-exhausted',
  },
];
