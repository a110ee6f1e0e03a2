import type { ConcurrencyLimit } from '@ebb/core';

export const collectGarbage = globalThis.gc as () => void;

export const inUse = (limit: ConcurrencyLimit): number => limit.stats().inUse;

/** Waits until a slot is free. */
export async function slotFreed(limit: ConcurrencyLimit): Promise<void> {
  (await limit.acquire()).release();
}
