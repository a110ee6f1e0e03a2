// The cost of a token from a shared bucket: with leases, with one call per token, and with two other libraries.
// Run: pnpm bench valkey
import { execSync } from 'node:child_process';
import { valkeyBucket } from '@ebb/valkey';
import Bottleneck from 'bottleneck';
import { Redis as IORedis } from 'ioredis';
import { Redis } from 'iovalkey';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { SCRIPT, SCRIPT_SHA1 } from '../../packages/valkey/src/script.ts';
import { program, startServer } from '../../packages/valkey/test/server.ts';

if (program === undefined) process.exit(1);

const ROUNDS = 5;
const ROUND_MS = 1_000;
/** So high that no caller ever waits: only the calls are measured. */
const QUOTA = { refillPerSecond: 5e7, capacity: 5e7 };

await using server = await startServer();
const iovalkey = new Redis(server.url);
const ioredis = new IORedis(server.url);

interface Contender {
  readonly name: string;
  readonly take: () => Promise<unknown>;
  /** How many tokens a caller takes before it checks the time. */
  readonly atOnce: number;
}

const bucket = valkeyBucket({ client: iovalkey, key: 'bench', ...QUOTA });
const scriptArguments = ['lease', QUOTA.refillPerSecond, QUOTA.capacity * 1e6, '', 0, 0, 1e6, 1e6, '', 0, 0];
await iovalkey.script('LOAD', SCRIPT);
const limiter = new RateLimiterRedis({ storeClient: ioredis, points: 1e9, duration: 1, keyPrefix: 'rlf' });
const connection = new Bottleneck.IORedisConnection({ client: ioredis as never });
const bottleneck = new Bottleneck({ id: 'bench', connection, reservoir: 1e9, clearDatastore: true });
await bottleneck.ready();

const contenders: readonly Contender[] = [
  { name: 'ebb, with leases', take: () => bucket.acquire(), atOnce: 100 },
  {
    name: 'ebb’s script, one EVALSHA each',
    take: () => iovalkey.evalsha(SCRIPT_SHA1, 1, 'ebb:{single}', ...scriptArguments),
    atOnce: 1,
  },
  { name: 'rate-limiter-flexible, Redis', take: () => limiter.consume('bench'), atOnce: 1 },
  { name: 'Bottleneck, clustered', take: () => bottleneck.schedule(async () => {}), atOnce: 1 },
];

/** How many commands the server has run: sent by clients, and inside scripts. */
async function commandsOf(): Promise<{ inner: number; outer: number }> {
  const lines = (await iovalkey.info('commandstats')).split('\r\n');
  const calls = new Map(
    lines
      .map((line) => /^cmdstat_([^:]+):calls=(\d+)/.exec(line))
      .map((found) => [found?.[1], Number(found?.[2] ?? 0)]),
  );
  calls.delete('info');
  const outer = (calls.get('evalsha') ?? 0) + (calls.get('eval') ?? 0);
  return { outer, inner: [...calls.values()].reduce((sum, count) => sum + count, 0) - outer };
}

interface Score {
  readonly perSecond: number[];
  grants: number;
  outer: number;
  inner: number;
}

async function round({ take, atOnce }: Contender, askers: number, score: Score): Promise<void> {
  const before = await commandsOf();
  let grants = 0;
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: askers }, async () => {
      while (performance.now() - startMs < ROUND_MS) {
        for (let count = 0; count < atOnce; count += 1) await take();
        grants += atOnce;
      }
    }),
  );
  score.perSecond.push((grants / (performance.now() - startMs)) * 1_000);
  const after = await commandsOf();
  score.grants += grants;
  score.outer += after.outer - before.outer;
  score.inner += after.inner - before.inner;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

const about = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);

for (const askers of [1, 64]) {
  const scores = new Map(
    contenders.map((contender) => [contender, { perSecond: [], grants: 0, outer: 0, inner: 0 } as Score]),
  );
  for (let count = 0; count < ROUNDS; count += 1) {
    for (const [contender, score] of scores) await round(contender, askers, score);
  }
  const [ours] = scores.values();
  const best = median(ours?.perSecond ?? []);
  const title = askers === 1 ? 'One caller, one grant after the other' : `${askers} concurrent callers`;
  console.log(`\n${title}: medians of ${ROUNDS} rounds of ${ROUND_MS / 1_000} s, interleaved\n`);
  const columns = ['grants/s', 'ebb is', 'calls per', 'commands in the'];
  const second = ['', '… times', '1,000 grants', 'server per grant'];
  const print = (cells: readonly string[]): void =>
    console.log(
      cells
        .map((cell, index) => (index === 0 ? cell.padEnd(32) : cell.padStart(index === 4 ? 17 : 13)))
        .join(''),
    );
  print(['', ...columns]);
  print(['', ...second]);
  for (const [{ name }, { perSecond, grants, outer, inner }] of scores) {
    const rate = median(perSecond);
    print([
      name,
      about(rate),
      about(best / rate),
      about((outer / grants) * 1_000),
      about((outer + inner) / grants),
    ]);
  }
}
const version = (await iovalkey.info('server')).match(/(?:valkey|redis)_version:\S+/)?.[0];
console.log(`\n${version}, Node ${process.version}, ${execSync('nproc').toString().trim()} cores`);

await bucket.close();
await bottleneck.disconnect();
iovalkey.disconnect();
ioredis.disconnect();
process.exit(0);
