import { describe, expect, test } from 'vitest';
import { callTo, outerOf, REQUEST, response } from '../../../test/call-with-limits.ts';
import { ownBudget } from '../../../test/own.ts';
import type { Call } from '../../call/call.ts';
import type { OuterCall } from '../../nested/outer-call.ts';
import type { BudgetMethods } from '../../policy/contracts.ts';

describe('a budget in a call', () => {
  const steps = {
    permit: ({ permits }: Call) => permits?.planRetry({ reason: 'transient', delayMs: 0 }),
    'sent, and answered'({ permits }: Call) {
      permits?.settle(response(503));
      permits?.release();
    },
    'not sent': ({ permits }: Call) => permits?.cancel(),
    skip: ({ permits }: Call) => permits?.skip(),
    succeed: (call: Call) => call.close('success'),
    fail: (call: Call) => call.close('final'),
  };

  /** A call that begins, and what its budget is told. */
  function begin(outer?: OuterCall, left = 9) {
    const told: string[] = [];
    const budget: BudgetMethods = {
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
    const { call } = callTo({ budget: ownBudget(budget) }, [], outer);
    call.start();
    return { told, call };
  }

  test.each<[story: string, script: (keyof typeof steps)[], told: string]>([
    ['a failure', ['fail'], 'begin end'],
    ['one that ends twice, when its download breaks', ['succeed', 'fail'], 'begin deposit end'],
    ['a retry that is answered', ['permit', 'sent, and answered', 'fail'], 'begin withdraw end'],
    ['a retry that is never sent', ['permit', 'not sent', 'fail'], 'begin withdraw refund end'],
    ['a retry that is skipped, once', ['permit', 'skip', 'skip', 'fail'], 'begin withdraw refund end'],
    [
      'another one after that',
      ['permit', 'skip', 'permit', 'sent, and answered', 'skip', 'succeed'],
      'begin withdraw refund withdraw deposit end',
    ],
    ['no retry, whose scheduled attempt is skipped', ['skip', 'fail'], 'begin end'],
  ])('%s', (_, script, expected) => {
    const { told, call } = begin();
    for (const step of script) steps[step](call);
    expect(told.join(' ')).toBe(expected);
  });

  test('a retry that is denied is not refunded', () => {
    const { told, call } = begin(undefined, 0);
    expect(steps.permit(call)).toBe('budget-exhausted');
    steps.fail(call);
    expect(told).toEqual(['begin', 'withdraw', 'end']);
  });

  test('inside of another call that retries it is not asked', () => {
    const { told, call } = begin(outerOf(REQUEST));
    expect([call.permits, told]).toEqual([undefined, []]);
  });
});
