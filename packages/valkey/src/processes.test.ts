import { describe, expect, test } from 'vitest';
import { ProcessFleet, type WorkerTask } from '../test/fleet.ts';
import { program, startServer } from '../test/server.ts';
import { Upstream } from '../test/upstream.ts';

/**
 * Requests a second. So few that eight processes can send them on a machine on which thirty others are busy: there each waits
 * a tenth of a second for a processor, and all of them together send about eighty.
 */
const RATE = 50;
const CAPACITY = 50;
/**
 * The least part of the quota that the fleet must use. On an idle machine it uses more than nine tenths; on a busy one,
 * less. Tests under a virtual clock bound what the algorithm itself loses.
 */
const USED = 0.4;
/** For hangs only. Beside thirty busy processes it takes half a minute until eight have started. */
const timeout = 240_000;

/** Runs eight processes, and returns what the upstream received after the first burst, and the most that it should have. */
async function runFleet(
  of: (index: number) => Partial<WorkerTask>,
  during: (upstream: Upstream, fleet: ProcessFleet) => Promise<unknown>,
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
  // The first requests of a process are slow: on a busy machine they take longer than the rest of the test.
  await upstream.more(CAPACITY);
  const fromMs = performance.now();
  await during(upstream, fleet);
  const toMs = performance.now();
  const reports = await fleet.stop();
  const { excess } = upstream.against(RATE, CAPACITY, startMs);
  const arrivals = upstream.between(fromMs, toMs);
  return { arrivals, ideal: (RATE * (toMs - fromMs)) / 1_000, excess, reports };
}

describe.runIf(program !== undefined)('eight processes', () => {
  test('keep to one quota and use it, though their clocks differ', { timeout }, async () => {
    const { arrivals, ideal, excess, reports } = await runFleet(
      (index) => ({ skewMs: (index - 4) * 3_600_000, speed: 1 + (index - 4) / 400, stepBackMs: index * 50 }),
      (upstream) => upstream.more(2 * RATE),
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

  test('may die with leased tokens: those are lost, and the others go on', { timeout }, async () => {
    const { arrivals, ideal, excess } = await runFleet(
      () => ({}),
      async (upstream, fleet) => {
        for (let died = 0; died < 4; died += 1) {
          await upstream.more(RATE / 4);
          await fleet.kill(0);
        }
        await upstream.more(RATE);
      },
    );
    expect(excess).toBeLessThanOrEqual(0);
    expect(arrivals / ideal).toBeGreaterThan(USED);
  });
});
