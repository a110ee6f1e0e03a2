import { createServer } from 'node:http';
import type { ConcurrencyLimit } from '@ebb/core';
import { listen } from './servers.ts';

export const collectGarbage = globalThis.gc as () => void;

export const inUse = (limit: ConcurrencyLimit): number => limit.stats().inUse;

/** Waits until a slot is free. */
export async function slotFreed(limit: ConcurrencyLimit): Promise<void> {
  (await limit.acquire()).release();
}

/** A server that responds at once with so many bytes. Returns its URL. */
export function bytesServer(bytes: number): Promise<string> {
  return listen(createServer((_, response) => response.end(Buffer.alloc(bytes, 'x'))));
}
