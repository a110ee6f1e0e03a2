import { expect, test } from 'vitest';
import { followed, limitOf, partOf } from '../../test/call-with-part.ts';
import { judge, prepare, type Readiness } from '../../test/steps.ts';
import { constant } from '../backoff/curves.ts';
import { Call } from '../call/call.ts';
import { bring } from '../call/permits.ts';
import type { RequestTraits, Responded } from '../http/outcome.ts';
import { tokenBucket } from '../parts/bucket/token-bucket.ts';
import { limit } from '../parts/own-limit.ts';
import { virtualClock } from '../testing.ts';
import type { BroughtLimit, Permit, Skip } from './limit.ts';
import type { PolicyOptions } from './options.ts';
import { createPolicy } from './policy.ts';

let waiting: Promise<Readiness> | undefined;

const request: RequestTraits = {
  method: 'GET',
  url: 'https://upstream.test/',
  replayable: true,
  header: () => undefined,
};
const responds = (status: number): Responded => ({ type: 'response', status, header: () => undefined });

function start(options: PolicyOptions, clock = virtualClock({ startMs: 0 })) {
  const policy = createPolicy({ clock, random: () => 0, backoff: constant(100), ...options });
  return { clock, call: new Call(policy, request) };
}

test('plugins are asked in the order of their places, whatever the order of the list', () => {
  const asked: string[] = [];
  const places = ['watching', 'throttle', 'tokens', 'slot'] as const;
  const use = places.map((place) => {
    const label = () => void asked.push(place);
    return partOf({ label, end: (reason) => void asked.push(`${place} ${reason}`) }, place);
  });
  const { call } = start({ use });
  expect(prepare(call)).toBeUndefined();
  expect(judge(call, responds(200)).retry).toBe(false);
  const inOrder = ['throttle', 'slot', 'tokens', 'watching'];
  expect(asked).toEqual([...inOrder, ...inOrder.map((place) => `${place} success`)]);
});

test('limits are asked in one order: the throttle, those of the list, slots, tokens, the budget', () => {
  const asked: string[] = [];
  const own = (name: string): { limit: BroughtLimit } => {
    const take = () => void asked.push(name);
    return { limit: bring({ name, take: take as () => undefined }) };
  };
  const use = [limit(own('first').limit.limit), limit(own('second').limit.limit)];
  const limits = { budget: own('budget'), bucket: own('bucket'), concurrency: own('concurrency') };
  const { call } = start({ use, ...limits, throttle: own('throttle') } as never);
  expect(prepare(call)).toBeUndefined();
  expect(asked).toEqual(['throttle', 'first', 'second', 'concurrency', 'bucket', 'budget']);
});

test('a plugin that stays out of a call is not asked', () => {
  const { call } = start({ use: [partOf(undefined)] });
  expect(prepare(call)).toBeUndefined();
  expect(call.hooks).toBeUndefined();
});

test('of what is lacking everything goes back, and all limits are asked again after the wait', async () => {
  const asked: string[] = [];
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, clock });
  const acquire = async (): Promise<Permit> => {
    asked.push(`waits beside ${bucket.stats().tokens} tokens`);
    return { waitedMs: 5, cancel: () => undefined };
  };
  const last = limitOf({ take: () => ({ acquire }) });
  const policy = createPolicy({ clock, use: [limit(bucket.limit.limit), last] });
  const call = new Call(policy, request);
  waiting = prepare(call);
  expect(await waiting).toBe(true);
  expect(asked).toEqual(['waits beside 1 tokens']);
  expect([bucket.stats().tokens, call.waitedMs]).toEqual([0, 5]);
});

/** Skips so many chances. */
function skipping(times: number, skip: Skip = { skip: true }) {
  let left = times;
  return limitOf({
    take() {
      left -= 1;
      return left >= 0 ? skip : undefined;
    },
  });
}

test('a chance that a limit skips counts as a retry, and the next comes after the next backoff', async () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 3, clock });
  const { call } = start({ use: [skipping(2)], bucket, maxRetries: 3 }, clock);
  waiting = prepare(call);
  await clock.advance(199);
  expect([call.attempt, bucket.stats().tokens]).toEqual([0, 3]);
  await clock.advance(1);
  expect(await waiting).toBe(true);
  expect(judge(call, responds(503)).retry).toBe(true);
  waiting = prepare(call);
  await clock.advance(100);
  expect(judge(call, responds(503)).retry).toBe(false);
  expect(call.history.map(({ attempt, reason }) => [attempt, reason])).toEqual([
    [1, 'skipped'],
    [1, 'skipped'],
    [1, 'transient'],
    [2, 'retries-exhausted'],
  ]);
});

test('the backoff before the next chance gets the request, and no outcome', async () => {
  const seen: unknown[] = [];
  const { call, clock } = start({
    use: [skipping(1)],
    backoff: (step) => seen.push([step.outcome, step.request]),
  });
  waiting = prepare(call);
  await clock.advance(1);
  expect(await waiting).toBe(true);
  judge(call, responds(503));
  expect(seen).toEqual([
    [undefined, request],
    [expect.objectContaining({ status: 503 }), request],
  ]);
});

test.each<[story: string, skip: Skip, ms: number, reasons: string[]]>([
  ['until its retries are used up', { skip: true }, 100, ['skipped', 'overload']],
  ['for good at its first chance', { skip: true, isLast: true }, 0, ['overload']],
])('a request that is skipped %s fails', async (_, skip, ms, reasons) => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1, clock });
  const { call } = start({ use: [skipping(9, skip)], bucket, maxRetries: 1 }, clock);
  waiting = prepare(call);
  await expect(clock.runUntilSettled(waiting as Promise<unknown>)).rejects.toMatchObject({
    reason: 'overload',
  });
  expect([clock.elapsedMs, call.history.map(({ reason }) => reason)]).toEqual([ms, reasons]);
});

test('a plugin may change headers, also at its leisure', async () => {
  const early = partOf({ headers: () => ({ 'x-a': '1', 'x-b': '1' }) }, 'headers');
  const late = partOf({ headers: async ({ attempt }) => ({ 'x-b': String(attempt + 1) }) }, 'headers');
  const { call } = start({ use: [early, late], beforeAttempt: () => ({ 'x-c': '3' }) });
  waiting = prepare(call);
  expect(await waiting).toBe(true);
  expect(call.headerChanges).toEqual({ 'x-c': '3', 'x-a': '1', 'x-b': '2' });
});

test('what plugins read of a response goes on from one to the next, and to the decision', async () => {
  const first = partOf({ judge: () => ({ verdict: 'transient' }) });
  const second = partOf({ judge: async (_, advice) => ({ ...advice, waitMs: 700 }) });
  const { clock, call } = start({ use: [first, second] });
  waiting = prepare(call);
  const read = call.ended(responds(200), () => undefined);
  expect((await followed(call, read)).do).toBe('retry');
  waiting = prepare(call);
  await clock.advance(699);
  expect(call.attempt).toBe(1);
  await clock.advance(100);
  expect(await waiting).toBe(true);
});

test('a limit may refuse a retry, and is asked last', () => {
  const { call } = start({ use: [limitOf({ planRetry: () => 'budget-exhausted' })] });
  waiting = prepare(call);
  expect(judge(call, responds(503)).retry).toBe(false);
  expect(call.history.at(-1)?.reason).toBe('budget-exhausted');
});

test.each<[what: string, use: unknown, message: string]>([
  ['no list', {}, 'createPolicy: use must be a list of parts'],
  ['no part', [{}], 'createPolicy: use[0] must be a part'],
  ['an unknown place', [{ begin: () => undefined, place: 'x' }], 'createPolicy: use[0].place must be one of'],
])('%s is an error', (_, use, message) => {
  expect(() => createPolicy({ use } as never)).toThrow(message);
});
