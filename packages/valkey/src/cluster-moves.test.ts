import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestCluster } from '../test/cluster.ts';
import { type Connection, clusterClients } from '../test/cluster-clients.ts';
import { program } from '../test/server.ts';
import { type StoreEvent, type ValkeyBucket, valkeyBucket, valkeyBudget } from './index.ts';

const [RATE, CAPACITY] = [200, 40];

/** Asks for tokens with four requests at a time until it is stopped. */
class Fleet {
  readonly events: StoreEvent[] = [];
  granted = 0;
  refused = 0;
  longestMs = 0;
  readonly #buckets: ValkeyBucket[];
  readonly #startMs = performance.now();
  readonly #askers: Promise<void>[];
  #isStopped = false;

  constructor(connections: readonly Connection[], key: string) {
    const onStoreEvent = (event: StoreEvent): void => void this.events.push(event);
    this.#buckets = connections.map(({ client }) =>
      valkeyBucket({
        client,
        key,
        refillPerSecond: RATE,
        capacity: CAPACITY,
        onStoreEvent,
        timeoutMs: 1_000,
      }),
    );
    this.#askers = this.#buckets.flatMap((bucket) => [0, 1, 2, 3].map(() => this.#ask(bucket)));
  }

  async #ask(bucket: ValkeyBucket): Promise<void> {
    while (!this.#isStopped) {
      const askedMs = performance.now();
      try {
        await bucket.acquire();
        this.granted += 1;
      } catch {
        this.refused += 1;
        await pause(5);
      }
      this.longestMs = Math.max(this.longestMs, performance.now() - askedMs);
    }
  }

  /** The part of its quota that the fleet has used so far. */
  get used(): number {
    return this.granted / (CAPACITY + ((performance.now() - this.#startMs) * RATE) / 1_000);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#askers);
    await Promise.all(this.#buckets.map((bucket) => bucket.close()));
  }
}

describe.runIf(program !== undefined)('a cluster', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await TestCluster.start();
  });
  afterEach(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  describe.each(clusterClients)('through %s', (name, connect) => {
    const key = `moving ${name}`;
    let connections: Connection[] = [];
    beforeEach(async () => {
      connections = await Promise.all([0, 1, 2].map(() => connect(cluster.portOf(0))));
    });
    afterEach(() => {
      for (const { close } of connections) close();
    });

    test('that moves the slot of a bucket, and moves it again, keeps to the quota', async () => {
      const fleet = new Fleet(connections, key);
      await pause(500);
      for (let move = 0; move < 4; move += 1) {
        // The slot is in two nodes for a while, before and after its key has moved: ASK, then MOVED.
        await cluster.moveSlotOf(`ebb:{${key}}`, 150);
        expect(fleet.used).toBeLessThanOrEqual(1.02);
        await pause(250);
      }
      await fleet.stop();
      expect(fleet.used).toBeLessThanOrEqual(1.02);
      expect(fleet.used).toBeGreaterThan(0.8);
      expect(fleet.refused).toBe(0);
      expect(fleet.longestMs).toBeLessThan(1_500);
      expect(fleet.events).toEqual([]);
    });

    test('whose replica is promoted goes on', async () => {
      const replica = await cluster.addReplicaOf(`ebb:{${key}}`);
      const fleet = new Fleet(connections, key);
      await pause(1_000);
      const before = fleet.granted;
      await cluster.failOver(replica);
      // Some clients look for the new node only after several attempts to reach the old one.
      const count = (of: StoreEvent['type']): number => fleet.events.filter(({ type }) => type === of).length;
      await expect.poll(() => count('lost') === count('back'), { timeout: 30_000 }).toBe(true);
      expect(fleet.used).toBeLessThanOrEqual(1.1);
      expect(fleet.granted - before).toBeGreaterThan(RATE / 4);
      await pause(1_000);
      const shared = fleet.granted;
      await pause(1_000);
      expect(fleet.granted - shared).toBeGreaterThan(0.8 * RATE);
      await fleet.stop();
      expect(fleet.used).toBeLessThanOrEqual(1.1);
    });

    test('that moves the slot of a budget goes on', async () => {
      const events: StoreEvent[] = [];
      const onStoreEvent = (event: StoreEvent): void => void events.push(event);
      const budgets = connections.map(({ client }) =>
        valkeyBudget({ client, key, ratio: 1, reserve: 0, onStoreEvent, timeoutMs: 1_000 }),
      );
      let [succeeded, retried] = [0, 0];
      const work = async (): Promise<void> => {
        for (let round = 0; round < 40; round += 1) {
          for (const budget of budgets) {
            budget.begin();
            await pause(5);
            if (round % 2 === 0) {
              budget.deposit();
              succeeded += 1;
            } else if (budget.withdraw()) {
              retried += 1;
            }
            budget.end();
          }
        }
      };
      const working = work();
      await cluster.moveSlotOf(`ebb:{${key}}:budget`, 100);
      await working;
      for (const budget of budgets) await budget.close();
      expect(events).toEqual([]);
      expect(retried).toBeGreaterThan(0);
      expect(retried).toBeLessThanOrEqual(succeeded);
    });
  });
});
