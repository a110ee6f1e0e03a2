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
      .acquire({ maxWaitMs: 100 })
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

if (process.argv[2] !== undefined) {
  const report = await play(JSON.parse(process.argv[2]) as Task);
  process.send?.(report, () => process.exit());
} else {
  await using server = await startServer();
  const child = async (task: Omit<Task, 'url'>): Promise<Report> => {
    const execArgv = ['--conditions=@ebb/source', '--expose-gc'];
    const one = fork(import.meta.filename, [JSON.stringify({ ...task, url: server.url })], { execArgv });
    const [report] = (await once(one, 'message')) as [Report];
    return report;
  };
  const lone = await child({ tenants: 100_000, requests: 100_000, zipf: 0, seed: 1 });
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
      ['8 processes, 10,000 tenants (Zipf 1.01), 160,000 requests: calls a request', number(mean, 3)],
      [`… granted in ${number(seconds, 1)} s`, number(granted)],
    ],
  );
}
