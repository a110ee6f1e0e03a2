/**
 * Eight processes share one quota: first each with its own bucket, then with one bucket on Valkey, then while Valkey is
 * killed and restarted. The upstream counts the requests.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { say, type View, watch } from './screen.ts';
import { program, Store } from './store.ts';
import { Upstream } from './upstream.ts';

/** The arguments of a process. */
export interface Task {
  readonly url: string;
  readonly storePort: number;
  readonly refillPerSecond: number;
  readonly capacity: number;
}

/** Sent to a process: where to take tokens from. `nothing` pauses it. */
export type Order = 'own' | 'shared' | 'nothing' | 'end';

/** Sent by a process: it is ready, it lost the store, or the store is back. */
export type Report = 'ready' | 'lost' | 'back' | 'step';

const PROCESSES = 8;
const QUOTA = 400;
const BURST = 80;
/** Less than the burst that the upstream accepts, because the network can bunch requests. */
const CAPACITY = 40;
/** The duration of each act in seconds: `pnpm example examples/fleet/main.ts 2` is short. */
const SECONDS = Number(process.argv[2] ?? 2.5);

// A reader that closes the pipe, such as `head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

if (program === undefined) {
  say(
    'This example needs valkey-server or redis-server, and finds neither.',
    'Debian, Ubuntu: apt-get install redis-server    macOS: brew install valkey',
  );
  process.exit(0);
}

const store = await Store.start();
const upstream = await Upstream.start(QUOTA, BURST, PROCESSES);
const workers: ChildProcess[] = Array.from({ length: PROCESSES }, (_, index) => {
  const url = `${upstream.url}/${index}`;
  const task: Task = { url, storePort: store.port, refillPerSecond: QUOTA, capacity: CAPACITY };
  const options = { execArgv: process.execArgv };
  return fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [JSON.stringify(task)], options);
});
const alone: boolean[] = Array(PROCESSES).fill(false);
for (const [index, worker] of workers.entries()) {
  worker.on('message', (event: Report) => {
    alone[index] = event === 'lost';
  });
}
await Promise.all(workers.map((worker) => once(worker, 'message')));
const tell = (order: Order): void => {
  for (const worker of workers) worker.send(order);
};

interface Played {
  readonly title: string;
  readonly perSecond: number;
  readonly refusedPerSecond: number;
}

const startMs = performance.now();
const played: Played[] = [];

async function act(title: string, story: readonly string[], begin: () => unknown): Promise<void> {
  say('', styleText('bold', `${played.length + 1}  ${title}`), ...story.map((line) => `   ${line}`), '');
  await begin();
  const first = { counts: upstream.counts, refused: upstream.refused, atMs: performance.now() };
  let last = first;
  await watch((): View => {
    const next = { counts: upstream.counts, refused: upstream.refused, atMs: performance.now() };
    const seconds = (next.atMs - last.atMs) / 1_000;
    const each = next.counts.map((count, index) => (count - (last.counts[index] ?? 0)) / seconds);
    const refusedPerSecond = (next.refused - last.refused) / seconds;
    last = next;
    return { atMs: next.atMs - startMs, each, refusedPerSecond, quota: QUOTA, alone };
  }, SECONDS * 1_000);
  const seconds = (last.atMs - first.atMs) / 1_000;
  const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
  played.push({
    title,
    perSecond: (total(last.counts) - total(first.counts)) / seconds,
    refusedPerSecond: (last.refused - first.refused) / seconds,
  });
}

say(
  styleText('bold', 'Eight processes, one quota'),
  `   The upstream accepts ${QUOTA} requests per second from all of them together.`,
);

await act('Each has its own bucket', ['Each keeps to the quota. Together they do not.'], () => tell('own'));
tell('nothing');
await pause(500);
await act('One bucket for all, on Valkey', ['Each leases the tokens that it needs, in advance.'], () =>
  tell('shared'),
);
await act('The store is killed', ['Each continues with an eighth of the quota, from an empty bucket.'], () =>
  store.kill(),
);
await act(
  'The store restarts, without its data',
  ['The processes restore what they know. No one starts with a full bucket.'],
  () => store.start(),
);

tell('end');
await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')));
await store.kill();
upstream.close();

say('', styleText('bold', 'What the upstream saw'), '');
say(`   ${''.padEnd(50)}  requests      of it`, `   ${''.padEnd(50)}  a second    refused`);
for (const { title, perSecond, refusedPerSecond } of played) {
  const cells = [perSecond, refusedPerSecond].map((number) => `${Math.round(number)}`.padStart(10));
  say(`   ${title.padEnd(50)}${cells.join(' ')}`);
}
