// What many tenants of a shared bucket cost: heap, calls, and the server's own work. Starts its own store and processes.
// Run: pnpm bench valkey-tenants
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { seededRandom } from '@ebb/core/testing';
import { valkeyBucketPerKey } from '@ebb/valkey';
import { Redis } from 'iovalkey';
import { startServer } from '../../packages/valkey/test/server.ts';
import { printTable } from './measure/markdown.ts';

const request = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };

interface Task {
  readonly url: string;
  readonly tenants: number;
  readonly requests: number;
  /** How uneven the tenants are; 0 for one request each. */
  readonly zipf: number;
  readonly seed: number;
  /** Whether a second request of each tenant waits. */
  readonly waits?: boolean;
}

/** What a tenant costs whose requests wait. */
interface Waiting {
  readonly held: number;
  /** Of the whole process. */
  readonly timers: number;
}

interface Report {
  readonly held: number;
  readonly idle: number;
  readonly callsPerRequest: number;
  readonly granted: number;
}

const heap = (): number => {
  for (let time = 0; time < 4; time += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Numbers of tenants, the smaller the more often. */
function draws({ tenants, requests, zipf, seed }: Task): number[] {
  const random = seededRandom(seed);
  if (zipf === 0) return Array.from({ length: requests }, (_, at) => at % tenants);
  const sums: number[] = [];
  let sum = 0;
  for (let tenant = 1; tenant <= tenants; tenant += 1) {
    sum += tenant ** -zipf;
    sums.push(sum);
  }
  return Array.from({ length: requests }, () => {
    const at = random() * sum;
    let [low, high] = [0, tenants - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}

/** Two requests of each tenant: the first takes all there is, the second waits. */
async function wait({ url, tenants }: Task): Promise<Waiting> {
  const client = new Redis(url);
  const buckets = valkeyBucketPerKey({ client, key: 'waiting', refillPerSecond: 0.1, capacity: 10 });
  const ask = (key: string, cost: number): Promise<unknown> =>
    buckets
      .for(request, key)
      .acquire({ cost })
      .catch(() => undefined);
  const keys = Array.from({ length: tenants }, (_, tenant) => `tenant-${tenant}`);
  await ask('first', 1);
  await pause(600);
  const before = heap();
  for (let at = 0; at < tenants; at += 500) {
    await Promise.all(
      keys.slice(at, at + 500).map((key) => {
        const first = ask(key, 10);
        void ask(key, 1);
        return first;
      }),
    );
  }
  await pause(600);
  const held = (heap() - before) / tenants;
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  client.disconnect();
  return { held, timers };
}

async function play(task: Task): Promise<Report> {
  const client = new Redis(task.url);
  // Each bucket needs 10 s to be full again after one request.
  const buckets = valkeyBucketPerKey({
    client,
    key: 'tenants',
    refillPerSecond: 0.1,
    capacity: 10,
  });
  const keys = Array.from({ length: task.tenants }, (_, tenant) => `tenant-${tenant}`);
  await buckets.for(request, `first-${task.seed}`).acquire();
  await pause(600);
  const before = heap();
  const calls = buckets.stats().calls;
  let granted = 0;
  const order = draws(task);
  const take = (tenant: number): Promise<void> =>
    buckets
      .for(request, keys[tenant] as string)
      .acquire({ maxWaitMs: 1_000 })
      .then(
        () => {
          granted += 1;
        },
        () => undefined,
      );
  for (let at = 0; at < order.length; at += 500) await Promise.all(order.slice(at, at + 500).map(take));
  const made = buckets.stats().calls - calls;
  await pause(700);
  const held = (heap() - before) / task.tenants;
  await pause(task.zipf === 0 ? 12_500 : 0);
  const idle = (heap() - before) / task.tenants;
  await buckets.close();
  client.disconnect();
  return { held, idle, callsPerRequest: made / order.length, granted };
}

if (process.send !== undefined) {
  const task = JSON.parse(process.argv[2] as string) as Task;
  const report = await (task.waits ? wait(task) : play(task));
  process.send(report, () => process.exit());
} else {
  await using server = await startServer();
  const child = async <R = Report>(task: Omit<Task, 'url'>): Promise<R> => {
    const execArgv = ['--conditions=@ebb/source', '--expose-gc'];
    const one = fork(import.meta.filename, [JSON.stringify({ ...task, url: server.url })], { execArgv });
    const [report] = (await once(one, 'message')) as [R];
    return report;
  };
  const lone = await child({ tenants: 100_000, requests: 100_000, zipf: 0, seed: 1 });
  const waiting = await child<Waiting>({ tenants: 10_000, requests: 20_000, zipf: 0, seed: 1, waits: true });
  await server.command('FLUSHALL');
  const startMs = performance.now();
  const many = await Promise.all(
    Array.from({ length: 8 }, (_, seed) =>
      child({ tenants: 10_000, requests: 20_000, zipf: 1.01, seed: seed + 1 }),
    ),
  );
  const seconds = (performance.now() - startMs) / 1_000;
  const granted = many.reduce((sum, report) => sum + report.granted, 0);
  const mean = many.reduce((sum, { callsPerRequest }) => sum + callsPerRequest, 0) / many.length;
  const number = (value: number, digits = 0): string => value.toFixed(digits);
  printTable(
    'Many tenants of a shared bucket',
    ['', 'value'],
    [
      ['100,000 tenants, a request each: bytes of heap each, not full yet', number(lone.held)],
      ['… once they are full', number(lone.idle)],
      ['… calls a request', number(lone.callsPerRequest, 3)],
      ['10,000 tenants that wait: bytes of heap each', number(waiting.held)],
      ['… timers of the process', number(waiting.timers)],
      ['8 processes, 10,000 tenants (Zipf 1.01), 160,000 requests: calls a request', number(mean, 3)],
      [`… granted in ${number(seconds, 1)} s`, number(granted)],
    ],
  );
}
