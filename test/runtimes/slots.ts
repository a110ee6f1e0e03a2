import { concurrencyLimit, createPolicy } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { unlessStuck } from './stuck.ts';

/** The paths of the slot server. */
export type SlotPath = 'short' | 'missing' | 'empty' | 'long' | 'half' | 'slow';

/** The bodies of `/short` and `/missing`, of `/long` (its length), and of `/slow` (in parts). */
export const SHORT = 'a short body';
export const LONG_BYTES = 4_000_000;
export const SLOW = 'one after another';

/** A way to use a response that holds the only slot. The slot must be free afterwards. */
export interface SlotRow {
  readonly name: string;
  readonly path: SlotPath;
  readonly method?: string;
  readonly use: (response: Response, clock: VirtualClock) => unknown;
  /** What `use` must return. */
  readonly gives: unknown;
}

/** Longer than the interval at which unread bodies are checked. */
const CHECKED_AFTER_MS = 1_100;

async function bytesOf(body: ReadableStream<Uint8Array> | null): Promise<number> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  return bytes;
}

const failed = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'whole',
    () => 'broken',
  );

export const slotRows: readonly SlotRow[] = [
  { name: 'text()', path: 'short', use: (response) => response.text(), gives: SHORT },
  {
    name: 'arrayBuffer()',
    path: 'long',
    use: async (response) => (await response.arrayBuffer()).byteLength,
    gives: LONG_BYTES,
  },
  { name: 'a reader', path: 'long', use: (response) => bytesOf(response.body), gives: LONG_BYTES },
  {
    name: 'a pipe',
    path: 'long',
    use: (response) => bytesOf(response.body?.pipeThrough(new TransformStream()) ?? null),
    gives: LONG_BYTES,
  },
  {
    name: 'a new Response with its body',
    path: 'short',
    use: (response) => new Response(response.body).text(),
    gives: SHORT,
  },
  {
    name: 'both the response and a clone',
    path: 'long',
    use: (response) =>
      Promise.all([response.clone(), response].map(async (one) => (await one.text()).length)),
    gives: [LONG_BYTES, LONG_BYTES],
  },
  {
    name: 'a branch of tee()',
    path: 'short',
    use: (response) => new Response(response.body?.tee()[1] ?? null).text(),
    gives: SHORT,
  },
  { name: 'no body', path: 'empty', use: () => 'unread', gives: 'unread' },
  { name: 'HEAD', path: 'short', method: 'HEAD', use: () => 'unread', gives: 'unread' },
  { name: 'an unread 404', path: 'missing', use: () => 'unread', gives: 'unread' },
  {
    name: 'a short unread body',
    path: 'short',
    use: async (_, clock) => void (await clock.advance(CHECKED_AFTER_MS)),
    gives: undefined,
  },
  {
    name: 'a short body that is read late',
    path: 'short',
    use: async (response, clock) => {
      await clock.advance(CHECKED_AFTER_MS);
      return response.text();
    },
    gives: SHORT,
  },
  {
    name: 'a long body that is cancelled',
    path: 'long',
    use: async (response) => void (await response.body?.cancel()),
    gives: undefined,
  },
  {
    name: 'a reader that is cancelled after a part',
    path: 'long',
    use: async (response) => {
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    },
    gives: undefined,
  },
  {
    name: 'a body that breaks during text()',
    path: 'half',
    use: (response) => failed(response.text()),
    gives: 'broken',
  },
  {
    name: 'a body that breaks during a read',
    path: 'half',
    use: (response) => failed(bytesOf(response.body)),
    gives: 'broken',
  },
];

/** The result of a row. */
export interface SlotRun {
  readonly gave: unknown;
  readonly inUse: number;
}

/** How long to wait for a slot to be freed, before it counts as lost. */
const LOST_MS = 5_000;

async function slotsInUse(inUse: () => number): Promise<number> {
  const latest = Date.now() + LOST_MS;
  while (inUse() > 0 && Date.now() < latest) await nextTurn();
  return inUse();
}

async function useSlot(row: SlotRow, url: string): Promise<SlotRun> {
  const clock = virtualClock();
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const ebbFetch = createFetch(createPolicy({ clock, concurrency, maxRetries: 0 }));
  const gave = await row.use(await ebbFetch(url + row.path, { method: row.method ?? 'GET' }), clock);
  return { gave, inUse: await slotsInUse(() => concurrency.stats().inUse) };
}

/** Ways to read a whole body, none of which keeps a reference to the response. */
const WAYS: readonly ((response: Response) => Promise<unknown>)[] = [
  (response) => response.text(),
  (response) => response.blob(),
  (response) => bytesOf(response.body),
  (response) => bytesOf(response.body?.pipeThrough(new TransformStream()) ?? null),
  (response) => new Response(response.body).text(),
  (response) => response.clone().text(),
];

const CROWD = 60;
export const CROWD_SLOTS = 10;

/** Sends many concurrent calls over few slots while garbage is collected continuously. */
async function crowd(url: string): Promise<number> {
  const concurrency = concurrencyLimit({ maxConcurrent: CROWD_SLOTS });
  const ebbFetch = createFetch(createPolicy({ concurrency, maxRetries: 0 }));
  const { gc, Bun } = globalThis as { gc?: () => void; Bun?: { gc(now: boolean): void } };
  const collecting = setInterval(() => (Bun ? Bun.gc(true) : gc?.()), 5);
  const reads = Array.from({ length: CROWD }, (_, n) => ebbFetch(`${url}slow`).then(WAYS[n % WAYS.length]));
  await Promise.all(reads);
  clearInterval(collecting);
  return slotsInUse(() => concurrency.stats().inUse);
}

/** Runs all rows and the crowd, and returns how many slots of the crowd were not freed. */
export async function useSlots(url: string): Promise<{ readonly runs: SlotRun[]; readonly crowd: number }> {
  const runs: SlotRun[] = [];
  for (const row of slotRows)
    runs.push(
      await unlessStuck(useSlot(row, url)).catch((error: unknown) => ({ gave: String(error), inUse: -1 })),
    );
  return { runs, crowd: await unlessStuck(crowd(url)).catch(() => CROWD_SLOTS) };
}
