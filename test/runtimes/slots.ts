import { concurrencyLimit, createPolicy } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import type { SlotRow, Slots } from './slot-row.ts';
import { unlessStuck } from './stuck.ts';

/** The result of a row. */
export interface SlotRun {
  readonly gave: unknown;
  readonly inUse: number;
}

/** The result of many calls at once. */
export interface Crowd {
  /** How many slots were not freed. */
  readonly inUse: number;
  /** Whether garbage was collected meanwhile. */
  readonly isCollected: boolean;
}

/** How long to wait for a slot to be freed, before it counts as lost. */
const LOST_MS = 5_000;

async function slotsInUse(inUse: () => number): Promise<number> {
  const latest = Date.now() + LOST_MS;
  while (inUse() > 0 && Date.now() < latest) await nextTurn();
  return inUse();
}

async function useSlot<Result>(slots: Slots<Result>, row: SlotRow<Result>, url: string): Promise<SlotRun> {
  const clock = virtualClock({ startMs: 0 });
  const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
  const client = slots.open(createPolicy({ clock, concurrency, maxRetries: 0 }));
  const held = (): number => concurrency.stats().inUse;
  const result = await client.get(url + row.path, row.method ?? 'GET', row.config);
  const gave = await row.use(result, clock, held);
  const inUse = await slotsInUse(held);
  await client.close();
  return { gave, inUse };
}

const CROWD = 60;
export const CROWD_SLOTS = 10;

/** Collects garbage now; `undefined` if the runtime has no function for that. */
function collector(): (() => void) | undefined {
  const { gc, Bun } = globalThis as { gc?: () => void; Bun?: { gc(now: boolean): void } };
  return Bun === undefined ? gc : () => Bun.gc(true);
}

/** Sends many concurrent calls over few slots while garbage is collected continuously. */
async function crowd<Result>({ open, ways }: Slots<Result>, url: string): Promise<Crowd> {
  const concurrency = concurrencyLimit({ maxConcurrent: CROWD_SLOTS });
  const clock = virtualClock({ startMs: 0 });
  const client = open(createPolicy({ concurrency, maxRetries: 0 }));
  const collect = collector();
  const collecting = setInterval(() => collect?.(), 5);
  const reads = Array.from({ length: CROWD }, (_, n) => {
    const way = ways[n % ways.length];
    return client
      .get(`${url}slow`, 'GET', way?.config)
      .then((result) => way?.use(result, clock, () => concurrency.stats().inUse));
  });
  await Promise.all(reads);
  clearInterval(collecting);
  const inUse = await slotsInUse(() => concurrency.stats().inUse);
  await client.close();
  return { inUse, isCollected: collect !== undefined };
}

/** Runs all rows and the crowd. */
export async function useSlots<Result>(
  slots: Slots<Result>,
  url: string,
): Promise<{ readonly runs: SlotRun[]; readonly crowd: Crowd }> {
  const runs: SlotRun[] = [];
  for (const row of slots.rows)
    runs.push(
      await unlessStuck(useSlot(slots, row, url)).catch((error: unknown) => ({
        gave: String(error),
        inUse: -1,
      })),
    );
  const lost = { inUse: CROWD_SLOTS, isCollected: false };
  return { runs, crowd: await unlessStuck(crowd(slots, url)).catch(() => lost) };
}
