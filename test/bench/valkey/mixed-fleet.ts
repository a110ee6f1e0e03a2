// A fleet whose members use different clients and always want more tokens than there are.
import { setTimeout as pause } from 'node:timers/promises';
import { type ValkeyBucket, valkeyBucket } from '@ebb/valkey';
import type { Open, Opened } from './fault-clients.ts';

export const RATE = 1_000;
export const CAPACITY = 200;
const CALLERS = 5;
const LONGEST_MS = 5_000;

/** What became of the fleet. */
export interface Story {
  /** The most that was spent in any window beyond `rate · t`, in capacities. */
  readonly window: number;
  /** The part of the rate that was used from the fault until two seconds after all were well again. */
  readonly used: number;
  readonly longestMs: number;
  readonly refused: number;
  /** Callers that wait after the end. */
  readonly hung: number;
  /** How long after the fault each member shared again, in milliseconds; 0 if it never stopped. */
  readonly backMs: ReadonlyMap<string, number>;
}

interface Member {
  readonly name: string;
  readonly opened: Opened;
  readonly bucket: ValkeyBucket;
}

/** The longest that the clients may take to find out that all is well. */
const PATIENCE_MS = 20_000;

/** Runs the fleet before, during and after a fault. */
export async function endure(
  clients: Readonly<Record<string, Open>>,
  port: number,
  key: string,
  fault: () => Promise<unknown>,
): Promise<Story> {
  const members: Member[] = [];
  for (const [name, open] of Object.entries(clients)) {
    const opened = await open(port);
    const bucket = valkeyBucket({ client: opened.client, key, refillPerSecond: RATE, capacity: CAPACITY });
    members.push({ name, opened, bucket });
  }
  const granted: number[] = [];
  let [stopped, refused, longestMs, waiting] = [false, 0, 0, 0];
  const ask = async ({ bucket }: Member): Promise<void> => {
    while (!stopped) {
      const askedMs = performance.now();
      waiting += 1;
      try {
        await bucket.acquire({ maxWaitMs: LONGEST_MS });
        granted.push(performance.now());
      } catch {
        if (!stopped) refused += 1;
        await pause(5);
      }
      waiting -= 1;
      longestMs = Math.max(longestMs, performance.now() - askedMs);
    }
  };
  const callers = members.flatMap((member) => Array.from({ length: CALLERS }, () => ask(member)));
  await pause(1_500);
  const faultMs = performance.now();
  await fault();
  const overMs = performance.now();
  const backMs = new Map(members.map(({ name }) => [name, Number.NaN]));
  for (const { bucket, name } of members) if (bucket.stats().mode === 'shared') backMs.set(name, 0);
  while ([...backMs.values()].some(Number.isNaN) && performance.now() < overMs + PATIENCE_MS) {
    await pause(5);
    for (const { bucket, name } of members) {
      const isBack = bucket.stats().mode === 'shared';
      // A member may find out that the store is away when it is already back.
      if (!isBack) backMs.set(name, Number.NaN);
      else if (Number.isNaN(backMs.get(name))) backMs.set(name, performance.now() - overMs);
    }
  }
  await pause(2_000);
  const endMs = performance.now();
  stopped = true;
  await Promise.race([Promise.all(members.map(({ bucket }) => bucket.close())), pause(3_000)]);
  await Promise.race([Promise.all(callers), pause(LONGEST_MS)]);
  const hung = waiting;
  for (const { opened } of members) opened.close();
  const during = granted.filter((atMs) => atMs >= faultMs && atMs < endMs).length;
  return {
    window: worstWindow(granted),
    used: during / ((RATE * (endMs - faultMs)) / 1_000),
    ...{ longestMs, refused, hung, backMs },
  };
}

function worstWindow(granted: readonly number[]): number {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  granted.forEach((atMs, index) => {
    const level = index - (RATE * atMs) / 1_000;
    least = Math.min(least, level);
    most = Math.max(most, level + 1 - least);
  });
  return most / CAPACITY;
}
