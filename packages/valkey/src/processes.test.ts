import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ProcessFleet, type WorkerTask } from '../test/fleet.ts';
import { program, startServer } from '../test/server.ts';
import { Upstream } from '../test/upstream.ts';

const RATE = 1_000;
const CAPACITY = 200;
/**
 * The least part of the quota that the fleet must use. On an idle machine it uses more than nine tenths; on a busy one,
 * less. Tests under a virtual clock bound what the algorithm itself loses.
 */
const USED = 0.4;

/** Runs eight processes, and returns what the upstream received. */
async function runFleet(
  of: (index: number) => Partial<WorkerTask>,
  during: (fleet: ProcessFleet) => Promise<unknown>,
): Promise<{
  arrivals: number;
  ideal: number;
  excess: number;
  reports: Awaited<ReturnType<ProcessFleet['stop']>>;
}> {
  await using server = await startServer();
  await using upstream = await Upstream.start();
  const common = {
    storeUrl: server.url,
    upstreamUrl: upstream.url,
    key: 'fleet',
    rate: RATE,
    capacity: CAPACITY,
  };
  const tasks = Array.from({ length: 8 }, (_, index) => ({ ...common, askers: 8, ...of(index) }));
  using fleet = await ProcessFleet.start(tasks);
  const startMs = performance.now();
  fleet.go();
  await during(fleet);
  const seconds = (performance.now() - startMs) / 1_000;
  const arrivals = upstream.arrivals.length;
  const reports = await fleet.stop();
  const { excess } = upstream.against(RATE, CAPACITY, startMs);
  return { arrivals, ideal: CAPACITY + RATE * seconds, excess, reports };
}

describe.runIf(program !== undefined)('eight processes', () => {
  test('keep to one quota and use it, though their clocks differ', { timeout: 60_000 }, async () => {
    const { arrivals, ideal, excess, reports } = await runFleet(
      (index) => ({ skewMs: (index - 4) * 3_600_000, speed: 1 + (index - 4) / 400, stepBackMs: index * 50 }),
      () => pause(2_000),
    );
    expect(excess).toBeLessThanOrEqual(0);
    expect(arrivals / ideal).toBeGreaterThan(USED);
    for (const { unhandled, refused, failed, events } of reports) {
      expect({ unhandled, refused, failed, events }).toEqual({
        unhandled: 0,
        refused: 0,
        failed: 0,
        events: [],
      });
    }
  });

  test('may die with leased tokens: those are lost, and the others go on', {
    timeout: 60_000,
  }, async () => {
    const { arrivals, ideal, excess } = await runFleet(
      () => ({}),
      async (fleet) => {
        for (let died = 0; died < 4; died += 1) {
          await pause(250);
          await fleet.kill(0);
        }
        await pause(500);
      },
    );
    expect(excess).toBeLessThanOrEqual(0);
    expect(arrivals / ideal).toBeGreaterThan(USED);
  });
});
