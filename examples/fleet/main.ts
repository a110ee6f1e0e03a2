/**
 * Eight processes behind one quota: each with a bucket of its own, then with one bucket for all of them on Valkey,
 * then while that is killed and started again. The upstream counts what comes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { say, type View, watch } from './screen.ts';
import { program, Store } from './store.ts';
import { Upstream } from './upstream.ts';

/** What a process is told when it starts. */
export interface Task {
  readonly url: string;
  readonly storePort: number;
  readonly refillPerSecond: number;
  readonly capacity: number;
}

/** What it is to take its tokens from, from now on. */
export type Order = 'own' | 'shared' | 'nothing' | 'end';

/** What it tells: that it can begin, that it lost the store, that it has it back. */
export type Report = 'ready' | 'lost' | 'back';

const PROCESSES = 8;
const QUOTA = 400;
const BURST = 80;
/** A network bunches what it carries, so the bucket holds less than the upstream takes at once. */
const CAPACITY = 40;
/** How long each act lasts, in seconds: `pnpm fleet 2` is a short one. */
const SECONDS = Number(process.argv[2] ?? 2.5);

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

if (program === undefined) {
  say(
    'This example starts a Valkey or Redis server, and there is none on this machine.',
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
  `   The upstream takes ${QUOTA} requests per second from all of them together.`,
);

await act('Each has a bucket of its own', ['Each keeps to the quota. Together they do not.'], () =>
  tell('own'),
);
tell('nothing');
await pause(500);
await act('One bucket for all, on Valkey', ['Each leases tokens in advance, as many as it needs.'], () =>
  tell('shared'),
);
await act('The store is killed', ['Each goes on with an eighth of the quota, from empty.'], () =>
  store.kill(),
);
await act(
  'It is started again, and has forgotten everything',
  ['The processes tell it what they know. Nobody begins with a full bucket.'],
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
