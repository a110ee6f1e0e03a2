import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { BudgetReport, BudgetTask } from '../test/budget-worker.ts';
import { ProcessFleet } from '../test/fleet.ts';
import { program, startServer, type TestServer } from '../test/server.ts';

const [RATIO, RESERVE, WINDOW_MS] = [0.1, 20, 1_000];

/** Runs six processes. A third of their requests fail, which is more than the budget has retries for. */
async function runFleet(
  during: (server: TestServer) => Promise<unknown>,
): Promise<{ reports: BudgetReport[]; succeeded: number; retried: number; windows: number }> {
  await using server = await startServer();
  const task: BudgetTask = {
    storeUrl: server.url,
    key: 'fleet',
    ratio: RATIO,
    reserve: RESERVE,
    windowMs: WINDOW_MS,
  };
  using fleet = await ProcessFleet.start(new Array(6).fill(task), 'budget-worker.ts');
  fleet.go();
  await during(server);
  const reports = (await fleet.stop()) as unknown as BudgetReport[];
  const sum = (of: 'succeeded' | 'retried'): number =>
    reports.reduce((total, report) => total + report[of], 0);
  const windows = Math.max(...reports.map(({ ranMs }) => ranMs)) / WINDOW_MS;
  return { reports, succeeded: sum('succeeded'), retried: sum('retried'), windows };
}

describe.runIf(program !== undefined)('six processes that share a budget', () => {
  test('retry at most as often as it allows, and nearly as often', async () => {
    const { reports, succeeded, retried } = await runFleet(() => pause(2_500));
    expect(retried).toBeLessThanOrEqual(RESERVE + RATIO * succeeded);
    expect(retried).toBeGreaterThan(0.4 * RATIO * succeeded);
    for (const { unhandled, events, calls, ranMs } of reports) {
      expect({ unhandled, events }).toEqual({ unhandled: 0, events: [] });
      expect(calls).toBeLessThanOrEqual(ranMs / 20 + 1);
    }
  });

  test('have at most one reserve more in each window while the store keeps losing the key', async () => {
    const { reports, succeeded, retried, windows } = await runFleet(async (server) => {
      for (let time = 0; time < 25; time += 1) {
        await pause(100);
        await server.command('FLUSHALL');
      }
    });
    expect(retried).toBeLessThanOrEqual(RESERVE * (1 + windows) + RATIO * succeeded);
    for (const { unhandled, events } of reports)
      expect({ unhandled, events }).toEqual({ unhandled: 0, events: [] });
  });

  test('use their local budgets while the store is down, and share again', async () => {
    const { reports, succeeded, retried, windows } = await runFleet(async (server) => {
      await pause(500);
      await server.kill();
      await pause(1_000);
      await server.start();
      await pause(1_500);
    });
    for (const { unhandled, events } of reports) {
      expect(unhandled).toBe(0);
      expect(events.slice(0, 2)).toEqual(['lost', 'back']);
    }
    // The reserve in the store, that of the new key, and the local reserves.
    expect(retried).toBeLessThanOrEqual(RESERVE * (2 + windows) + RATIO * succeeded);
  });
});
