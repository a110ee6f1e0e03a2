import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budgetFleet, withdrawAll } from '../test/budget-fleet.ts';
import { CAPACITY, RATE, StoreWorld } from '../test/busy-fleet.ts';
import type { ModelStore } from '../test/model-store.ts';
import type { StoreEvent } from './events.ts';
import { InvalidReply } from './store-error.ts';

const NUMBERS = [-1, -1e15, 1e15, 2 ** 53, 1e300, -0.5, 0.5, Number.NaN, Number.POSITIVE_INFINITY];
const OTHERS = [null, undefined, '', ' ', 'OK', '1e3', '0x10', '12 ', true, [], [1], {}, Symbol('x')];

/** What a wrong server, a wrong script or a proxy may reply instead. */
type Lie = (reply: unknown[]) => unknown;

const replies =
  (value: unknown): Lie =>
  () =>
    value;
const anyLie: fc.Arbitrary<Lie> = fc.oneof(
  fc.tuple(fc.nat(18), fc.constantFrom(...NUMBERS, ...OTHERS)).map(([place, value]): Lie => {
    return (reply) => reply.map((part, index) => (index === place ? value : part));
  }),
  fc.nat(4).map(
    (length): Lie =>
      (reply) =>
        reply.slice(0, length),
  ),
  fc.constantFrom(...OTHERS, 5, 'x'.repeat(1e6), new Error('as a value')).map(replies),
  // Another script's reply, and a state that is not ours.
  fc.constantFrom([1, 2, 3, 4, 5, 6, 7, 'not a state'], [0, 0, 0, 0, 1, 1, 0, '1 2 3'], [1]).map(replies),
);

/** Lets a store reply to each call with the next lie, or with the truth. */
function lieTo(store: ModelStore, lies: (Lie | undefined)[]): void {
  for (const name of ['evalsha', 'eval'] as const) {
    const truth = store[name].bind(store);
    store[name] = async (...call): Promise<unknown> => {
      const reply = (await truth(...call)) as unknown[];
      const lie = lies.shift();
      return lie === undefined ? reply : lie(reply);
    };
  }
}

/** Each error is one, and short. */
function expectErrors(events: readonly StoreEvent[]): void {
  for (const event of events) {
    if (event.type !== 'lost') continue;
    expect(event.error).toBeInstanceOf(Error);
    expect((event.error as Error).message.length).toBeLessThan(300);
  }
}

const someLies = fc.array(fc.option(anyLie, { nil: undefined, freq: 2 }), { minLength: 1, maxLength: 40 });

test('a bucket stays sound whatever the store replies', async () => {
  await fc.assert(
    fc.asyncProperty(someLies, fc.constantFrom('local', 'closed'), async (lies, onStoreError) => {
      const world = new StoreWorld();
      const { clock, store, events } = world;
      lieTo(store, lies);
      const bucket = world.bucket({ onStoreError, connectTimeoutMs: 100 });
      let [granted, hanging] = [0, 0];
      const untilMs = 30_000;
      const ask = async (): Promise<void> => {
        while (clock.now() < untilMs && granted < 1e6) {
          hanging += 1;
          const grant = await bucket.acquire({ maxWaitMs: 2_000 }).catch(() => undefined);
          hanging -= 1;
          if (grant !== undefined) granted += 1;
          else await clock.sleep(50);
        }
      };
      const askers = [ask(), ask()];
      for (let step = 0; step < 340; step += 1) {
        await clock.advance(100);
        for (const [name, value] of Object.entries(bucket.stats()))
          if (typeof value === 'number') expect(value, name).not.toBeNaN();
      }
      await Promise.all(askers);
      await Promise.all([bucket.close(), clock.advance(1_000)]);
      expect({ hanging, pending: clock.pending }).toEqual({ hanging: 0, pending: 0 });
      // A plausible lie is believed: a share of its own may come on top of the store's. Nothing comes out of nothing.
      expect(granted).toBeLessThanOrEqual(2 * CAPACITY + (1.1 * RATE * untilMs) / 1_000);
      expectErrors(events);
    }),
    { numRuns: 15 },
  );
}, 240_000);

test('a budget stays sound whatever the store replies', async () => {
  await fc.assert(
    fc.asyncProperty(someLies, async (lies) => {
      const { clock, events, process } = budgetFleet({ reserve: 5, ratio: 0.2, connectTimeoutMs: 100 });
      const budget = process();
      lieTo(budget.store, lies);
      let [retries, successes] = [0, 0];
      for (let step = 0; step < 100; step += 1) {
        budget.begin();
        await clock.advance(200);
        if (step % 2 === 0) {
          budget.deposit();
          successes += 1;
        } else {
          retries += withdrawAll(budget);
        }
        budget.end();
        for (const [name, value] of Object.entries(budget.stats()))
          if (typeof value === 'number') expect(Number.isSafeInteger(value), name).toBe(true);
      }
      await Promise.all([budget.close(), clock.advance(1_000)]);
      expect(clock.pending).toBe(0);
      // A grant of one retry that is not charged is a plausible lie.
      expect(retries).toBeLessThanOrEqual(2 * 5 + 0.2 * successes + lies.length + 40);
      expectErrors(events);
    }),
    { numRuns: 100 },
  );
});

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
  ])('to a bucket: %s', async (_, reply) => {
    const world = new StoreWorld();
    world.store.evalsha = async () => reply;
    const bucket = world.bucket();
    const asked = bucket.acquire();
    expect(await world.fateOf(asked)).toMatchObject({ reason: 'unavailable' });
    expect(world.events).toMatchObject([{ type: 'lost', mode: 'closed' }]);
    const [{ error }] = world.events as unknown as [{ error: unknown }];
    expect(error).toBeInstanceOf(InvalidReply);
    expect((error as Error).message).toMatch(/^Unexpected reply from the store: /);
    void bucket.close();
    await world.clock.advance(1_000);
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
