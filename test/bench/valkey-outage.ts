// The store fails for 10 s under load, in three ways: it hangs, it is killed and restarts empty, or it loses its keys every
// 15 ms from the first request on. How the rate at the upstream and the waits of the requests change.
// Run: pnpm bench valkey-outage
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import { ProcessFleet } from '../../packages/valkey/test/fleet.ts';
import { program, startServer, type TestServer } from '../../packages/valkey/test/server.ts';
import { Upstream } from '../../packages/valkey/test/upstream.ts';
import { machine } from './measure/machine.ts';
import { printTable } from './measure/markdown.ts';

if (program === undefined) process.exit(1);

const RATE = 2_000;
const CAPACITY = 400;
const PROCESSES = 8;
const DEADLINE_MS = 1_000;

interface Way {
  /** How long all is well before, in milliseconds. */
  readonly afterMs: number;
  down(server: TestServer): unknown;
  up(server: TestServer): unknown;
}

let stopLosses = (): void => {};

const ways: Readonly<Record<string, Way>> = {
  'it hangs': { afterMs: 5_000, down: (server) => server.freeze(), up: (server) => server.thaw() },
  'it is killed, and comes back with nothing': {
    afterMs: 5_000,
    down: (server) => server.kill(),
    up: (server) => server.start(),
  },
  'it loses its keys every 15 ms, from the start': {
    afterMs: 0,
    down: async ({ url }) => {
      const client = new Redis(url);
      await client.flushall();
      const timer = setInterval(() => void client.flushall(), 15);
      stopLosses = () => {
        clearInterval(timer);
        client.disconnect();
      };
    },
    up: () => stopLosses(),
  },
};

const whole = (value: number): string => Math.round(value).toLocaleString('en');

for (const [way, { afterMs, down, up }] of Object.entries(ways)) {
  await using server = await startServer();
  await using upstream = await Upstream.start();
  const task = {
    storeUrl: server.url,
    upstreamUrl: upstream.url,
    key: 'fleet',
    rate: RATE,
    capacity: CAPACITY,
    askers: 16,
    maxWaitMs: DEADLINE_MS,
  };
  using fleet = await ProcessFleet.start(Array(PROCESSES).fill(task));
  const startMs = performance.now();
  if (afterMs > 0) {
    fleet.go();
    await pause(afterMs);
  }
  const downMs = performance.now();
  await down(server);
  if (afterMs === 0) fleet.go();
  await pause(10_000);
  const upMs = performance.now();
  await up(server);
  await pause(5_000);
  const endMs = performance.now();
  const seen = (fromMs: number, toMs: number): string => {
    const count = upstream.between(fromMs, toMs);
    return `${whole(count)} = ${((count / ((RATE * (toMs - fromMs)) / 1_000)) * 100).toFixed(1)} % of the rate`;
  };
  const reports = await fleet.stop();
  const { excess, burst } = upstream.against(RATE, CAPACITY, startMs);
  const sum = (of: 'refused' | 'failed' | 'unhandled'): number =>
    reports.reduce((total, report) => total + report[of], 0);

  const rows: string[][] = [];
  const line = (what: string, value: string): void => void rows.push([what, value]);
  if (afterMs > 0) line('received by the upstream: before', seen(startMs, downMs));
  line('received by the upstream: during the outage', seen(downMs, upMs));
  line('received by the upstream: in the 5 s after', seen(upMs, endMs));
  line(
    'largest excess over capacity + rate · t',
    excess > 0 ? excess.toFixed(1) : `never (nearest: ${excess.toFixed(1)})`,
  );
  line('largest burst beyond the rate, any window', `${burst.toFixed(0)} (capacity ${CAPACITY})`);
  line(
    'requests refused, lost; rejections unhandled',
    `${sum('refused')}, ${sum('failed')}; ${sum('unhandled')}`,
  );
  line(
    'longest wait for a token',
    `${whole(Math.max(...reports.map(({ longestWaitMs }) => longestWaitMs)))} ms (deadline ${whole(DEADLINE_MS)} ms)`,
  );
  line(
    'store events of each process',
    [...new Set(reports.map(({ events }) => events.join(', ')))].join('; '),
  );
  printTable(`${PROCESSES} processes, ${RATE}/s, capacity ${CAPACITY}; for 10 s ${way}`, ['', ''], rows);
}
console.log(machine());
