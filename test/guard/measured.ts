// Runs in the process that is measured, with two arguments: what to measure, and the name of the subject.
import { getHeapSpaceStatistics } from 'node:v8';
import { type Counts, counts, replaceClocks, startCounting } from './counters.ts';
import type { Send, Subject, Subjects } from './subjects/subject.ts';

const [mode = '', name = ''] = process.argv.slice(2);
// This file is imported before ebb, which may keep a reference to a function of the platform.
replaceClocks();
if (mode === 'counts') startCounting();

/** A power of two: what ebb does once in 2, 4 … 64 requests has the same weight in every round. */
const ROUND = 64;

async function send(request: Send, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const sent = request();
    if (sent instanceof Promise) await sent;
  }
}

async function countsOf(request: Send): Promise<Counts> {
  await send(request, ROUND);
  const before = { ...counts };
  await send(request, ROUND);
  const each = (counter: keyof Counts): number => (counts[counter] - before[counter]) / ROUND;
  return {
    promises: each('promises'),
    timers: each('timers'),
    clockReads: each('clockReads'),
    abortListeners: each('abortListeners'),
  };
}

/** The bytes allocated for new objects since the last garbage collection, with those that survived it. */
function allocatedBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name === 'new_space' || space_name === 'new_large_object_space')
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

async function bytesOf(request: Send): Promise<number> {
  const requests = 16 * ROUND;
  // Not a full collection: it would undo the warm-up.
  globalThis.gc?.({ type: 'minor' });
  const before = allocatedBytes();
  await send(request, requests);
  return (allocatedBytes() - before) / requests;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

async function medianBytes({ bare, ebb }: Subject): Promise<{ bare: number; ebb: number }> {
  // The optimising compiler removes allocations, and is done after about 30,000 requests.
  for (let n = 0; n < 512; n += 1) {
    await send(bare, ROUND);
    await send(ebb, ROUND);
  }
  const rounds: { bare: number; ebb: number }[] = [];
  for (let n = 0; n < 7; n += 1) rounds.push({ bare: await bytesOf(bare), ebb: await bytesOf(ebb) });
  return { bare: median(rounds.map(({ bare }) => bare)), ebb: median(rounds.map(({ ebb }) => ebb)) };
}

/** Valgrind writes what it has counted whenever the process calls this function of Node. */
function mark(): void {
  process.uptime();
}

/**
 * Leaves to valgrind the instructions before the first mark, then of bare requests and requests of ebb in turn. The first
 * requests compile the code to bytecode and fill the inline caches; the compilers need some thousand more.
 */
async function runMarked({ bare, ebb }: Subject, warmRounds: number): Promise<{ requests: number }> {
  for (let n = 0; n < warmRounds; n += 1) {
    await send(bare, ROUND);
    await send(ebb, ROUND);
  }
  mark();
  for (let n = 0; n < 3; n += 1) {
    await send(bare, ROUND);
    mark();
    await send(ebb, ROUND);
    mark();
  }
  return { requests: ROUND };
}

const modes: Readonly<Record<string, (subject: Subject) => unknown>> = {
  counts: async ({ bare, ebb }) => ({ bare: await countsOf(bare), ebb: await countsOf(ebb) }),
  bytes: medianBytes,
  interpreted: (subject) => runMarked(subject, 1),
  compiled: (subject) => runMarked(subject, 48),
};

export async function measure(subjects: Subjects): Promise<void> {
  const subject = subjects[name]?.();
  const figures = modes[mode];
  if (!subject || !figures) throw new Error(`There is no mode ${mode}, or no subject ${name}.`);
  console.log(JSON.stringify(await figures(subject)));
}
