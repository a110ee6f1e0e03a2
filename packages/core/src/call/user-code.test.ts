import { expect, test } from 'vitest';
import { outerCall } from '#nested';
import { outerOf } from '../../test/call-with-limits.ts';
import { asUserCode } from './user-code.ts';

const [slot, own, held] = [{ name: 'slot' }, { name: 'own' }, { name: 'held' }];
const charging = { name: 'bucket', chargesOnCompletion: true } as never;
const plain = { name: 'bucket', chargesOnCompletion: false } as never;
const nothing = { bodyHolder: undefined, bucket: undefined, isInner: false, outer: undefined };

test.each<[what: string, call: Partial<typeof nothing>, own: object | undefined, seen: object[] | undefined]>(
  [
    ['holds nothing: its requests are calls like any other', {}, undefined, undefined],
    ['has a bucket that is charged at once', { bucket: plain }, undefined, undefined],
    ['is within another that holds nothing', { outer: outerOf() as never }, undefined, undefined],
    ['holds a slot', { bodyHolder: slot as never }, undefined, [slot]],
    ['has a bucket that is charged at the end', { bucket: charging }, undefined, [charging]],
    ['has code that holds something itself', {}, own, [own]],
    [
      'is within another that holds a slot',
      { outer: outerOf(undefined, [held]) as never },
      undefined,
      [held],
    ],
    ['is an inner one, and its requests are no attempts of the outer one', { isInner: true }, undefined, []],
    [
      'has all of that',
      {
        bodyHolder: slot as never,
        bucket: charging,
        isInner: true,
        outer: outerOf(undefined, [held]) as never,
      },
      own,
      [held, slot, charging, own],
    ],
  ],
)('user code of a call that %s', (_, call, code, seen) => {
  const around = asUserCode({ ...nothing, ...call }, outerCall, code);
  expect(around?.slotsHeld).toEqual(seen);
  expect(outerCall()).toBeUndefined();
});
