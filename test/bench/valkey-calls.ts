// How often a fleet calls its store, by rate, costs and number of processes, in virtual time.
// Run: pnpm bench valkey-calls
import { type ClosedLoop, play } from '../../packages/valkey/test/closed-loop.ts';
import { printTable } from './measure/markdown.ts';

const SECONDS = 60;
const PROCESSES = [1, 4, 8, 32];

async function row(name: string, load: Omit<ClosedLoop, 'processes' | 'seconds'>): Promise<string[]> {
  const calls: string[] = [];
  for (const processes of PROCESSES) {
    const { callsPerGrant } = await play({ ...load, processes, seconds: SECONDS }, 'shared');
    calls.push((callsPerGrant * 1_000).toFixed(0));
  }
  return [name, ...calls];
}

const fleet = (rate: number): Omit<ClosedLoop, 'processes' | 'seconds'> => ({
  ...{ rate, capacity: Math.max(1, rate / 5), costs: [1], askers: 16 },
});

printTable(
  `calls per 1,000 grants; 16 callers per process, a round trip of 0.5 ms, ${SECONDS} s`,
  ['load', ...PROCESSES.map((processes) => `${processes} process${processes > 1 ? 'es' : ''}`)],
  [
    await row('5/s, saturated', fleet(5)),
    await row('50/s, saturated', fleet(50)),
    await row('1,000/s, saturated', fleet(1_000)),
    await row('2,000/s, saturated', fleet(2_000)),
    await row('2,000/s, saturated by 20 callers per process', { ...fleet(2_000), askers: 20 }),
    await row('20,000/s, saturated', fleet(20_000)),
    await row('1,000/s, at half load', { ...fleet(1_000), openLoad: 0.5 }),
    await row('1,000/s, at 90 %', { ...fleet(1_000), openLoad: 0.9 }),
    await row('1,000/s, costs 1 and 20', { ...fleet(1_000), costs: [1, 20] }),
    await row('1,000/s, costs 1 and 200', { ...fleet(1_000), costs: [1, 200] }),
    await row('1,000/s, round trip 100 ms', { ...fleet(1_000), latencyMs: 50 }),
  ],
);
