import { describe, expect, test } from 'vitest';
import { budgetFleet } from '../test/budget-fleet.ts';
import { parseReply } from './store-call.ts';
import { InvalidReply } from './store-error.ts';

describe('a reply that the script cannot have sent', () => {
  /** A reply for one unit, but for some of its parts. */
  const reply = (other: Readonly<Record<number, unknown>>): unknown[] =>
    [1, 6e13, 0, 5, 1, 0, 0, 1, 0, 0, 0, 0, 6e13, 5, 1e6, 6e13, 0, 0, 0].map((part, at) =>
      at in other ? other[at] : part,
    );
  test.each<[name: string, reply: unknown]>([
    ['a negative grant', reply({ 14: -1 })],
    ['more than was asked for', reply({ 14: 1e15 })],
    ['a number that is missing', reply({}).slice(0, 15)],
    ['a number that is null', reply({ 3: null })],
    ['a text without digits', reply({ 3: 'soon' })],
    ['a wait below 0', reply({ 11: -1 })],
    ['a wait that is infinite', reply({ 11: Number.POSITIVE_INFINITY })],
    ['more than the whole share', reply({ 10: 2e6 })],
    ['an outcome that there is not', reply({ 0: 3 })],
    ['a state from the future', reply({ 12: 9e14 })],
    ['limits of 0', [...reply({}), '0', '0']],
    ['limits of another bucket', [...reply({}), '1', '1', '1', '1']],
    ['the reply of a budget', [1, 9, 1, 0, 1, 1_000_000]],
    ['no list', 'OK'],
    ['a big integer', 12n],
  ])('to a bucket: %s', (_, reply) => {
    const call = {
      mode: 'lease',
      minAmounts: [1e6],
      maxAvailable: [1e6],
      maxFuture: [1e6],
      withinMs: 0,
    } as const;
    expect(() => parseReply(call, reply, 1)).toThrow(InvalidReply);
  });

  test.each<[name: string, reply: unknown]>([
    ['a negative grant', [-1, 0, 1, 0, 1, 0]],
    ['more than was asked for', [2, 0, 1, 0, 1, 0]],
    ['a balance below 0', [0, -5, 1, 0, 1, 0]],
    ['a part above 1', [0, 0, 1, 0, 1, 2e6]],
    ['a fraction', [0, 0.5, 1, 0, 1, 0]],
    ['the reply of a bucket', reply({})],
    ['a whole page', '<html>'.repeat(10_000)],
  ])('to a budget: %s', async (_, reply) => {
    const { clock, events, process } = budgetFleet();
    const budget = process();
    budget.store.evalsha = async () => reply;
    budget.begin();
    await clock.advance(10);
    expect(events).toMatchObject([
      { type: 'lost', error: { message: expect.stringContaining('Unexpected reply') } },
    ]);
    expect(budget.stats()).toMatchObject({ mode: 'local', leased: 0, inStore: 0 });
  });
});
