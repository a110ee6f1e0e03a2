// Prints the bytes of the heap for each of 10,000 calls that wait for a limiter:
//   node --expose-gc --conditions=@ebb/source test/migration/waiting.ts p-queue
import { setTimeout } from 'node:timers/promises';
import { LIMITERS } from './limiters.ts';

const CALLS = 10_000;
/** So long that none of the calls goes, and the wait of the last is still one that a timer can hold. */
const INTERVAL_MS = 1_000_000;

const make = LIMITERS[process.argv[2] ?? ''];
if (make === undefined) throw new Error(`no such limiter; there are ${Object.keys(LIMITERS).join('; ')}`);

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Fills an array that is there already, and returns how many bytes each entry adds to the heap. */
async function bytesEach(calls: unknown[]): Promise<number> {
  const take = make?.(INTERVAL_MS);
  const before = heapBytes();
  for (let n = 0; n < calls.length; n += 1) calls[n] = take?.();
  // Some libraries queue a call after a timer of 0 ms.
  for (let turn = 0; turn < 5; turn += 1) await setTimeout(1);
  return (heapBytes() - before) / calls.length;
}

const calls = new Array(CALLS).fill(undefined);
await bytesEach(calls.slice(0, 100));
console.log(Math.round(await bytesEach(calls)));
process.exit();
