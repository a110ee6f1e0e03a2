import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clusterClients, type Opened } from '../test/clients.ts';
import { TestCluster } from '../test/cluster.ts';
import { RealFleet } from '../test/real-fleet.ts';
import { program } from '../test/server.ts';
import type { StoreEvent } from './index.ts';

const QUOTA = { refillPerSecond: 200, capacity: 40, timeoutMs: 1_000 };
const KEY = 'moving';

describe.runIf(program !== undefined).each(Object.entries(clusterClients))(
  'a cluster, through %s',
  (_, open) => {
    let cluster: TestCluster;
    let connections: readonly Opened[] = [];
    beforeEach(async () => {
      cluster = await TestCluster.start();
      connections = await Promise.all([0, 1, 2].map(() => open({ port: cluster.portOf(0) })));
    });
    afterEach(async () => {
      for (const connection of connections) connection[Symbol.dispose]();
      await cluster[Symbol.asyncDispose]();
    });

    const fleetOf = () =>
      new RealFleet(
        connections.map(({ client }) => client),
        KEY,
        QUOTA,
      );

    test('that moves the slot of a bucket, and moves it again, keeps to the quota', async () => {
      const fleet = fleetOf();
      await pause(500);
      for (let move = 0; move < 4; move += 1) {
        // The slot is in two nodes for a while, before and after its key has moved: ASK, then MOVED.
        await cluster.moveSlotOf(`ebb:{${KEY}}`, 150);
        await pause(250);
      }
      const { used } = fleet;
      await fleet.stop();
      expect(fleet.mostUsed).toBeLessThanOrEqual(1.02);
      expect(used).toBeGreaterThan(0.8);
      expect(fleet.errors).toEqual([]);
      expect(fleet.longestMs).toBeLessThan(1_500);
      expect(fleet.events.flat()).toEqual([]);
    });

    test('whose replica is promoted goes on', async () => {
      const replica = await cluster.addReplicaOf(`ebb:{${KEY}}`);
      const fleet = fleetOf();
      await pause(1_000);
      await cluster.failOver(replica);
      // Some clients look for the new node only after several attempts to reach the old one.
      const count = (of: StoreEvent['type']): number =>
        fleet.events.flat().filter(({ type }) => type === of).length;
      await expect.poll(() => count('lost') === count('back'), { timeout: 30_000 }).toBe(true);
      await pause(1_000);
      const shared = fleet.granted;
      await pause(1_000);
      expect(fleet.granted - shared).toBeGreaterThan(0.8 * QUOTA.refillPerSecond);
      await fleet.stop();
      expect(fleet.mostUsed).toBeLessThanOrEqual(1.1);
    });
  },
);
