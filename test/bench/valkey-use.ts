// The share of its quota that a saturated fleet uses, in virtual time: for mixed costs, for small buckets, and for a
// store that loses its key. Run: pnpm bench valkey-use
import { type ClosedLoop, play, type Use } from '../../packages/valkey/test/closed-loop.ts';
import { printTable } from './measure/markdown.ts';

const BUSY = { rate: 1_000, capacity: 200, askers: 16, seconds: 60 };

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const times = (value: number): string => `${value.toFixed(2)} ×`;

async function both(load: ClosedLoop): Promise<[Use, Use]> {
  return [await play(load, 'shared'), await play(load, 'memory')];
}

const mixes = [
  [1],
  [1, 20],
  [0.5, 1, 3, 20, 50],
  [0.5, 1, 3, 100],
  [...Array(9).fill(1), 150],
  [1, 200],
  [200],
];
const rows: string[][] = [];
for (const costs of mixes) {
  for (const processes of [1, 8, 32]) {
    const [shared, memory] = await both({ ...BUSY, costs, processes });
    rows.push([
      costs.length > 8 ? '9 × 1, 150' : costs.join(', '),
      `${processes}`,
      percent(shared.share),
      percent(memory.share),
      times(shared.meanMs / memory.meanMs),
      times(shared.p99Ms / memory.p99Ms),
      times(shared.longestMs / memory.longestMs),
      shared.burst.toFixed(2),
      shared.callsPerGrant.toFixed(2),
    ]);
  }
}
printTable(
  '1,000/s, capacity 200, 16 callers per process, 60 s; waits relative to one bucket in memory',
  ['costs', 'processes', 'used', 'in memory', 'mean wait', 'p99', 'longest', 'burst', 'calls/grant'],
  rows,
);

const small: string[][] = [];
for (const rate of [1_000, 2_000]) {
  for (const capacity of [1, 2, 5, 10, 20]) {
    const load = { ...BUSY, rate, capacity, costs: [1], processes: 8, latencyMs: 1, lateMs: 2, seconds: 20 };
    const [shared, memory] = await both(load);
    const burst = `${(shared.burst * capacity).toFixed(1)}`;
    small.push([`${rate}/s`, `${capacity}`, percent(shared.share), percent(memory.share), burst]);
  }
}
printTable(
  '8 processes; timers in whole milliseconds, up to 2 ms late; 1 ms per message',
  ['rate', 'capacity', 'used', 'in memory', 'burst'],
  small,
);

const lost: string[][] = [];
for (const costs of [[1], [1, 20], [200]]) {
  for (const processes of [2, 8, 32]) {
    const cells: string[] = [];
    for (const everyMs of [5, 15, 50, 150, 500, 1_500]) {
      const load = { ...BUSY, costs, processes, seconds: 20, losses: { fromMs: 2_000, everyMs } };
      cells.push(percent((await play(load, 'shared')).share));
    }
    lost.push([costs.join(', '), `${processes}`, ...cells]);
  }
}
printTable(
  '1,000/s, capacity 200, 20 s; from 2 s on the store loses the key at each interval',
  ['costs', 'processes', '5 ms', '15 ms', '50 ms', '150 ms', '500 ms', '1.5 s'],
  lost,
);
console.log('In virtual time: the same on every machine.');
