import { expect, test } from 'vitest';
import { AtOnce } from '../loop/at-once.ts';
import { takingOver } from './taking.ts';

test('clients of one copy of core share the class, and those of another have one over their own', () => {
  class OfAnotherCopy extends AtOnce<unknown, unknown, unknown> {}
  const own = takingOver(AtOnce);
  expect(takingOver(AtOnce)).toBe(own);
  const other = takingOver(OfAnotherCopy as typeof AtOnce);
  expect(Object.getPrototypeOf(other)).toBe(OfAnotherCopy);
  expect(Object.getPrototypeOf(takingOver(AtOnce))).toBe(AtOnce);
});
