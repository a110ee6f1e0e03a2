import { describe, expect, test } from 'vitest';
import type { Blocker, Part, PartInstance } from './part.ts';
import { ALONE, type Owner, PartsOfCall } from './parts-of-call.ts';

const given: unknown[] = [];
const owner = {
  policy: { name: 'policy' },
  request: { name: 'request' },
  attempt: 3,
  layers: ALONE,
  givenFeedback: false,
  emit: (news: unknown) => void given.push(news),
} as unknown as Owner;

/** Parts that are begun. `undefined` for one that has nothing to do with the call. */
function begun(...instances: readonly (PartInstance | undefined)[]): PartsOfCall {
  const parts = new PartsOfCall(owner);
  parts.begin(instances.map((one) => ({ name: 'own', place: 'headers', begin: () => one }) as Part));
  return parts;
}

/** Instances that write down which verb of which of them was called with what. */
function writing(count: number, more: (at: number) => Partial<PartInstance> = () => ({})) {
  const told: unknown[][] = [];
  const verb =
    (name: string, at: number) =>
    (...args: unknown[]): undefined =>
      void told.push([name, at, ...args]);
  const instances = Array.from({ length: count }, (_, at) => ({
    acquire: verb('acquire', at),
    leave: verb('leave', at),
    permit: verb('permit', at),
    skip: verb('skip', at),
    free: verb('free', at),
    end: verb('end', at),
    ...more(at),
  })) as PartInstance[];
  return { told, parts: begun({}, ...instances, {}) };
}

test('parts see the call by what they are in', () => {
  given.length = 0;
  const parts = begun();
  const { policy, request, attempt, layers, givenFeedback } = parts;
  expect({ policy, request, attempt, layers, givenFeedback }).toEqual({
    policy: owner.policy,
    request: owner.request,
    attempt: 3,
    layers: { isInner: false, bucketsTaken: [], slotsHeld: [], paidBuckets: undefined },
    givenFeedback: false,
  });
  parts.emit({ type: 'attempt' });
  expect(given).toEqual([{ type: 'attempt' }]);
});

describe('what parts have verbs for', () => {
  const headers = (): undefined => undefined;
  test.each<
    [what: string, instance: PartInstance | undefined, reads: boolean, changes: boolean, wraps: boolean]
  >([
    ['none', undefined, false, false, false],
    ['other verbs', { acquire: () => undefined }, false, false, false],
    ['judge', { judge: () => undefined }, true, false, false],
    ['headers', { headers }, false, true, false],
    ['label', { label: headers }, false, true, false],
    ['wrap', { wrap: (send) => send() }, false, false, true],
  ])('%s', (_, instance, reads, changesHeaders, wraps) => {
    expect(begun(instance)).toMatchObject({ reads, changesHeaders, wraps });
    expect(begun({}, instance, {}).all).toHaveLength(instance ? 3 : 2);
  });

  test.each([
    ['headers', undefined],
    ['watching', "own.place must be 'headers' beside the verb `headers`"],
  ])('the verb `headers` belongs in the place of headers: %s', (place, message) => {
    const begin = (verb: string) =>
      new PartsOfCall(owner).begin([
        { name: 'own', place, begin: () => ({ [verb]: headers }) } as unknown as Part,
      ]);
    if (message === undefined) expect(() => begin('headers')).not.toThrow();
    else expect(() => begin('headers')).toThrow(message.replace('own.', 'own: '));
    expect(() => begin('label')).not.toThrow();
  });

  test('what watches bodies is the first that a part brings', () => {
    const [one, other] = [() => undefined, () => undefined];
    expect(begun({}).whenBodyEnds).toBeUndefined();
    expect(begun({}, { whenBodyEnds: one }, { whenBodyEnds: other }).whenBodyEnds).toBe(one);
  });
});

describe('each verb is asked of all parts in their order', () => {
  test.each<[string, act: (parts: PartsOfCall) => unknown, args: unknown[]]>([
    ['acquire', (parts) => parts.take(), []],
    [
      'leave',
      (parts) => parts.leave({ type: 'failure', kind: 'timeout', error: 1 }),
      [{ type: 'failure', kind: 'timeout', error: 1 }],
    ],
    [
      'permit',
      (parts) => parts.permit({ reason: 'transient', delayMs: 1 }),
      [{ reason: 'transient', delayMs: 1 }],
    ],
    ['skip', (parts) => parts.skip(), []],
    ['free', (parts) => parts.free(), [undefined]],
    ['end', (parts) => parts.end('final'), ['final']],
  ])('%s', (name, act, args) => {
    const { told, parts } = writing(2);
    expect(act(parts)).toBeUndefined();
    expect(told).toEqual([
      [name, 0, ...args],
      [name, 1, ...args],
    ]);
  });

  test('a part that lacks something ends the asking, and all give back', () => {
    const blocker = { wait: async () => 0 } as Blocker;
    const { told, parts } = writing(3, (at) => (at === 1 ? { acquire: () => blocker } : {}));
    expect(parts.take()).toBe(blocker);
    expect(told.map(([name, at]) => `${name} ${at}`)).toEqual(['acquire 0', 'leave 0', 'leave 1', 'leave 2']);
  });

  test('a part that denies a retry ends the asking', () => {
    const { told, parts } = writing(3, (at) => (at === 1 ? { permit: () => 'budget-exhausted' } : {}));
    expect(parts.permit({ reason: 'transient', delayMs: 1 })).toBe('budget-exhausted');
    expect(told).toHaveLength(1);
  });

  test('before another attempt nothing is held that the one before had', () => {
    const { told, parts } = writing(1);
    const once = Promise.resolve();
    Object.assign(parts, { bucket: {}, grant: {} });
    parts.again(once);
    expect([parts.bucket, parts.grant, told]).toEqual([undefined, undefined, [['free', 0, once]]]);
  });

  test('the first part stands innermost around the send', () => {
    const around = (name: string): PartInstance => ({ wrap: (send) => `${name}(${send()})` as never });
    expect(begun(around('a'), {}, around('b')).wrap(() => 'sent')()).toBe('b(a(sent))');
  });
});
