// Eight processes request more than their shared quota for 30 s: how much reaches the upstream.
// Run: pnpm bench valkey-fleet
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import { ProcessFleet } from '../../packages/valkey/test/fleet.ts';
import { program, startServer } from '../../packages/valkey/test/server.ts';
import { Upstream } from '../../packages/valkey/test/upstream.ts';
import { machine } from './measure/machine.ts';
import { printTable } from './measure/markdown.ts';

if (program === undefined) process.exit(1);

const RATE = 2_000;
const CAPACITY = 400;
const PROCESSES = 8;
const SECONDS = 30;

await using server = await startServer();
await using upstream = await Upstream.start();
const admin = new Redis(server.url);
const task = {
  storeUrl: server.url,
  upstreamUrl: upstream.url,
  key: 'fleet',
  rate: RATE,
  capacity: CAPACITY,
  askers: 16,
};
using fleet = await ProcessFleet.start(Array(PROCESSES).fill(task));
await admin.config('RESETSTAT');
const startMs = performance.now();
fleet.go();
await pause(SECONDS * 1_000);
const seconds = (performance.now() - startMs) / 1_000;
const arrivals = upstream.arrivals.length;
const stats = await admin.info('commandstats');
const reports = await fleet.stop();

const allowed = CAPACITY + RATE * seconds;
const { excess, burst } = upstream.against(RATE, CAPACITY, startMs);
const callsOf = (name: string): number =>
  Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
const calls = callsOf('evalsha') + callsOf('eval');
const inner = callsOf('time') + callsOf('get') + callsOf('set');
const counts = reports.map(({ granted }) => granted);
const rows: string[][] = [];
const line = (what: string, value: string): void => void rows.push([what, value]);
const whole = (value: number): string => Math.round(value).toLocaleString('en');

line('requests received by the upstream', whole(arrivals));
line('capacity + rate · t', whole(allowed));
line('share of that received', `${((arrivals / allowed) * 100).toFixed(2)} %`);
line('largest excess over it', excess > 0 ? excess.toFixed(1) : `never (nearest: ${excess.toFixed(1)})`);
line('largest burst beyond the rate, any window', `${burst.toFixed(0)} (capacity ${CAPACITY})`);
line('grants per process, fewest … most', `${whole(Math.min(...counts))} … ${whole(Math.max(...counts))}`);
line('calls to the store per 1,000 grants', ((calls / arrivals) * 1_000).toFixed(1));
line('commands in the server per grant', ((calls + inner) / arrivals).toFixed(3));
line(
  'longest wait for a token',
  `${whole(Math.max(...reports.map(({ longestWaitMs }) => longestWaitMs)))} ms`,
);
line(
  'refused, failed, rejections unhandled',
  reports
    .reduce(
      (sum, { refused, failed, unhandled }) => [
        (sum[0] ?? 0) + refused,
        (sum[1] ?? 0) + failed,
        (sum[2] ?? 0) + unhandled,
      ],
      [0, 0, 0],
    )
    .join(', '),
);
printTable(
  `${PROCESSES} processes, ${RATE}/s, capacity ${CAPACITY}, ${seconds.toFixed(1)} s`,
  ['', ''],
  rows,
);
console.log(machine());
admin.disconnect();
