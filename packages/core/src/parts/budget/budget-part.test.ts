import { describe, expect, test } from 'vitest';
import type { OwnBudget } from '../../loop/contracts.ts';
import type { PartCall, PartInstance } from '../../loop/part.ts';
import { budgetPart, retryBudget } from './budget.ts';

describe('a budget in a call', () => {
  const answer = { type: 'response', status: 503, header: () => undefined } as const;
  const verbs = {
    permit: (one: PartInstance) => one.permit?.({ reason: 'transient', delayMs: 0 }),
    'sent, and answered': (one: PartInstance) => one.leave?.(answer),
    'not sent': (one: PartInstance) => one.leave?.(undefined),
    skip: (one: PartInstance) => one.skip?.(),
    succeed: (one: PartInstance) => one.end?.('success'),
    fail: (one: PartInstance) => one.end?.('final'),
  };

  /** The part of a budget, in a call inside of another that retries or in one that is not, and what the budget is told. */
  function begin(isInner: boolean, left = 9) {
    const told: string[] = [];
    const budget: OwnBudget = {
      balance: left,
      deposit: () => void told.push('deposit'),
      withdraw: () => {
        told.push('withdraw');
        left -= 1;
        return left >= 0;
      },
      refund: () => void told.push('refund'),
      begin: () => void told.push('begin'),
      end: () => void told.push('end'),
    };
    const call = { layers: { isInner } } as PartCall;
    return { told, instance: budgetPart(budget).begin(call) };
  }

  test.each<[story: string, script: (keyof typeof verbs)[], told: string]>([
    ['a success', ['succeed'], 'begin deposit end'],
    ['a failure', ['fail'], 'begin end'],
    ['one that ends twice, when its download breaks', ['succeed', 'fail'], 'begin deposit end'],
    ['a retry that is answered', ['permit', 'sent, and answered', 'fail'], 'begin withdraw end'],
    ['a retry that is never sent', ['permit', 'not sent', 'fail'], 'begin withdraw refund end'],
    [
      'a retry whose chance is skipped, once',
      ['permit', 'skip', 'skip', 'fail'],
      'begin withdraw refund end',
    ],
    [
      'another one after that',
      ['permit', 'skip', 'permit', 'sent, and answered', 'skip', 'succeed'],
      'begin withdraw refund withdraw deposit end',
    ],
    ['no retry, whose chance is skipped', ['skip', 'fail'], 'begin end'],
  ])('%s', (_, script, expected) => {
    const { told, instance } = begin(false);
    for (const verb of script) verbs[verb](instance as PartInstance);
    expect(told.join(' ')).toBe(expected);
  });

  test('a retry that is denied is not refunded', () => {
    const { told, instance } = begin(false, 0);
    expect(verbs.permit(instance as PartInstance)).toBe('budget-exhausted');
    verbs.fail(instance as PartInstance);
    expect(told).toEqual(['begin', 'withdraw', 'end']);
  });

  test('inside of another call that retries it has no part', () => {
    expect(begin(true)).toEqual({ told: [], instance: undefined });
  });

  test('a budget with nothing but its two verbs', () => {
    const own: OwnBudget = { balance: 1, deposit: () => undefined, withdraw: () => true };
    const instance = budgetPart(own).begin({ layers: { isInner: false } } as PartCall) as PartInstance;
    expect(verbs.permit(instance)).toBeUndefined();
    expect(() => verbs.fail(instance)).not.toThrow();
  });

  test('the part of a budget watches', () => {
    expect(retryBudget().part).toMatchObject({ name: 'budget', place: 'watching' });
  });
});
