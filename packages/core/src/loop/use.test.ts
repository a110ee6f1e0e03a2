import { expect, test } from 'vitest';
import { constant } from '../backoff/curves.ts';
import type { RequestTraits, Responded } from '../http/outcome.ts';
import { tokenBucket } from '../parts/bucket/token-bucket.ts';
import { virtualClock } from '../testing.ts';
import { Call } from './call.ts';
import { sending } from './client.ts';
import { judge, look, reads, SKIP, SKIP_AND_END } from './judge.ts';
import type { PolicyOptions } from './options.ts';
import type { Part, PartInstance } from './part.ts';
import { createPolicy } from './policy.ts';
import { prepare, type Readiness } from './prepare.ts';

let waiting: Promise<Readiness> | undefined;

const request: RequestTraits = {
  method: 'GET',
  url: 'https://upstream.test/',
  replayable: true,
  header: () => undefined,
};
const responds = (status: number): Responded => ({ type: 'response', status, header: () => undefined });

function partOf(place: Part['place'], instance: PartInstance | undefined): Part {
  return { name: 'own', place, begin: () => instance };
}

function start(options: PolicyOptions, clock = virtualClock({ startMs: 0 })) {
  const policy = createPolicy({ clock, random: () => 0, backoff: constant(100), ...options });
  return { clock, call: new Call(policy, request) };
}

test('parts are asked in the order of their places, whatever the order of the list', () => {
  const asked: string[] = [];
  const places = ['watching', 'throttle', 'tokens', 'slot'] as const;
  const use = places.map((place) =>
    partOf(place, {
      acquire: () => void asked.push(place),
      wrap: (send) => send(),
      leave: () => void asked.push(`${place} left`),
      end: (reason) => void asked.push(`${place} ${reason}`),
    }),
  );
  const { call } = start({ use });
  expect(prepare(call)).toBeUndefined();
  expect(sending(call, () => 'sent')).toBe('sent');
  expect(judge(call, responds(200)).retry).toBe(false);
  const inOrder = ['throttle', 'slot', 'tokens', 'watching'];
  expect(asked).toEqual([
    ...inOrder,
    ...inOrder.map((place) => `${place} left`),
    ...inOrder.map((place) => `${place} success`),
  ]);
});

test('a part that stays out of a call is not asked', () => {
  const { call } = start({ use: [partOf('slot', undefined)] });
  expect(prepare(call)).toBeUndefined();
  expect(call.parts?.all).toEqual([]);
});

test('of what is lacking everything goes back, and all parts are asked again after the wait', async () => {
  const asked: string[] = [];
  let isFree = false;
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, clock });
  const blocker = {
    wait: async () => {
      asked.push(`waits beside ${bucket.stats().tokens} tokens`);
      isFree = true;
      return 5;
    },
  };
  const last = partOf('watching', { acquire: () => (isFree ? undefined : blocker) });
  const policy = createPolicy({ clock, bucket, use: [last] });
  const call = new Call(policy, request);
  waiting = prepare(call);
  expect(await waiting).toBe(true);
  expect(asked).toEqual(['waits beside 1 tokens']);
  expect([bucket.stats().tokens, call.waitedMs]).toEqual([0, 5]);
});

test('a part that lacks something waits for it, and is asked again', async () => {
  let has = false;
  const blocker = {
    wait: async () => {
      has = true;
      return 0;
    },
  };
  const { call } = start({ use: [partOf('slot', { acquire: () => (has ? undefined : blocker) })] });
  waiting = prepare(call);
  expect(await waiting).toBe(true);
});

test('a chance that a part skips counts as a retry, and the next comes after the next backoff', async () => {
  let skips = 2;
  const throttle = partOf('throttle', { acquire: () => (skips-- > 0 ? SKIP : undefined) });
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 3, clock });
  const { call } = start({ use: [throttle], bucket, maxRetries: 3 }, clock);
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
  let skips = 1;
  const seen: unknown[] = [];
  const throttle = partOf('throttle', { acquire: () => (skips-- > 0 ? SKIP : undefined) });
  const { call, clock } = start({
    use: [throttle],
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

test.each([
  ['until its retries are used up', SKIP, 100, ['skipped', 'overload']],
  ['for good at its first chance', SKIP_AND_END, 0, ['overload']],
])('a request that is skipped %s fails', async (_, blocker, ms, reasons) => {
  const throttle = partOf('throttle', { acquire: () => blocker });
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1, clock });
  const { call } = start({ use: [throttle], bucket, maxRetries: 1 }, clock);
  waiting = prepare(call);
  await expect(clock.runUntilSettled(waiting as Promise<unknown>)).rejects.toMatchObject({
    reason: 'overload',
  });
  expect([clock.elapsedMs, call.history.map(({ reason }) => reason)]).toEqual([ms, reasons]);
});

test('a part may change headers, also at its leisure', async () => {
  const early = partOf('headers', { headers: () => ({ 'x-a': '1', 'x-b': '1' }) });
  const late = partOf('headers', { headers: async ({ attempt }) => ({ 'x-b': String(attempt + 1) }) });
  const { call } = start({ use: [early, late], beforeAttempt: () => ({ 'x-c': '3' }) });
  waiting = prepare(call);
  expect(await waiting).toBe(true);
  expect(call.headerChanges).toEqual({ 'x-c': '3', 'x-a': '1', 'x-b': '2' });
});

test('what parts read of a response goes on from one to the next, and to the decision', async () => {
  const first = partOf('reading', { judge: () => ({ verdict: 'transient' }) });
  const second = partOf('reading', { judge: async (_, advice) => ({ ...advice, waitMs: 700 }) });
  const { clock, call } = start({ use: [first, second] });
  waiting = prepare(call);
  expect(reads(call, responds(200))).toBe(true);
  const looked = await look(call, responds(200), () => undefined, undefined);
  expect(judge(call, looked).retry).toBe(true);
  waiting = prepare(call);
  await clock.advance(699);
  expect(call.attempt).toBe(1);
  await clock.advance(100);
  expect(await waiting).toBe(true);
});

test('a part may refuse a retry, and is asked last', () => {
  const permit = () => 'budget-exhausted' as const;
  const { call } = start({ use: [partOf('watching', { permit })] });
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
