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
/** For hangs only. Beside thirty busy processes it takes half a minute until eight have started. */
const timeout = 240_000;

/** Each clock differs by hours, runs at another speed, and is set back now and then. */
const askew = (index: number): Partial<WorkerTask> => {
  return { skewMs: (index - 4) * 3_600_000, speed: 1 + (index - 4) / 400, stepBackMs: index * 50 };
};

describe.runIf(program !== undefined)('eight processes keep to one quota and use it', () => {
  test.each<[although: string, of: (index: number) => Partial<WorkerTask>, deaths: number]>([
    ['their clocks differ', askew, 0],
    ['four die with leased tokens', () => ({}), 4],
  ])('though %s', { timeout }, async (_, of, deaths) => {
    await using server = await startServer();
    await using upstream = await Upstream.start();
    const common = { storeUrl: server.url, upstreamUrl: upstream.url, key: 'fleet', rate: RATE };
    const tasks = Array.from({ length: 8 }, (__, index) => {
      return { ...common, capacity: CAPACITY, askers: 8, ...of(index) };
    });
    using fleet = await ProcessFleet.start(tasks);
    const startMs = performance.now();
    fleet.go();
    // The first requests of a process are slow: on a busy machine they take longer than the rest of the test.
    await upstream.more(CAPACITY);
    const fromMs = performance.now();
    for (let died = 0; died < deaths; died += 1) {
      await upstream.more(RATE / 4);
      await fleet.kill(0);
    }
    await upstream.more(2 * RATE);
    const toMs = performance.now();
    const reports = await fleet.stop();
    expect(upstream.against(RATE, CAPACITY, startMs).excess).toBeLessThanOrEqual(0);
    // On an idle machine more than nine tenths. Tests under a virtual clock bound what the algorithm itself loses.
    const ideal = (RATE * (toMs - fromMs)) / 1_000;
    expect(upstream.between(fromMs, toMs) / ideal).toBeGreaterThan(0.4);
    const well = { unhandled: 0, refused: 0, failed: 0, events: [] };
    expect(reports).toMatchObject(Array(8 - deaths).fill(well));
  });
});
