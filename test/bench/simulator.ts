// The simulator's speed: the published comparison of backoff rules against the same model in plain Python, and fleets
// of a thousand to a million clients in a retry storm.
//
//   pnpm bench simulator [runs per point, default 100; Python takes one second for each two]
import { spawnSync } from 'node:child_process';
import { type Scenario, simulate } from '@ebb/simulator';
import { compareRules } from '../../packages/simulator/src/race/comparison.ts';
import { storm, stormPolicies } from '../../packages/simulator/src/studies/storm/storm.ts';
import { machine } from './measure/machine.ts';
import { number, printTable } from './measure/markdown.ts';

// `run.ts` passes on its own arguments, the name of the benchmark first.
const RUNS = Number(process.argv[3] ?? 100);

function seconds(work: () => void): number {
  const startedAtMs = performance.now();
  work();
  return (performance.now() - startedAtMs) / 1_000;
}

const ours = seconds(() => compareRules({ runs: RUNS }));
const script = new URL('aws_backoff.py', import.meta.url).pathname;
const python = spawnSync('python3', [script, String(RUNS)], { encoding: 'utf8' });
const rows = [['ebb', number(ours, 2), '1']];
if (python.status === 0) {
  const [, theirs = '', messages = ''] = /([\d.]+) s, (\d+) messages/.exec(python.stderr) ?? [];
  rows[0]?.push(number(Number(messages) / ours / 1e6, 1));
  const perSecond = number(Number(messages) / Number(theirs) / 1e6, 1);
  rows.push(['plain Python', number(Number(theirs), 2), number(Number(theirs) / ours, 0), perSecond]);
} else {
  rows.push(['plain Python', 'skipped: python3 does not run']);
}
printTable(`5 rules × 19 points × ${RUNS} runs, one process each`, ['', 's', '× ebb', 'M messages/s'], rows);

/** The same storm for any number of clients, each of which sends a request every ten seconds. */
function stormOf(clients: number, policy: string): Scenario {
  const size = { clients, requestsPerSecond: clients / 10 };
  const { policies: _, ...scenario } = storm(undefined, size);
  const capacity = size.requestsPerSecond / 0.9;
  const server = { ...scenario.server, serviceMs: 200, workers: Math.round(capacity / 5) };
  return { ...scenario, server, policy: stormPolicies(size)[policy] };
}

/** Small fleets run several storms, so that the measurement is not mostly start-up. */
function measure(clients: number, policy: string): string[] {
  const storms = Math.max(1, Math.round(100_000 / clients));
  let events = 0;
  const took = seconds(() => {
    for (let seed = 1; seed <= storms; seed += 1)
      events += simulate(stormOf(clients, policy), { seed }).events;
  });
  return [
    number(clients),
    number((took * 1e9) / events),
    number(events / took / 1e6, 1),
    number(took, 1),
    number(events / 1e6, 1),
    number(process.memoryUsage.rss() / 1e6),
  ];
}

for (const [policy, name] of [
  ['Memorystore', 'Fleets that keep nothing for themselves, through a storm of two minutes'],
  ['+ budget', 'The same, each client with a retry budget of its own'],
] as const) {
  simulate(stormOf(1_000, policy));
  const fleets = [1_000, 10_000, 100_000, 1_000_000].map((clients) => measure(clients, policy));
  printTable(name, ['clients', 'ns/event', 'M events/s', 's', 'M events', 'MB'], fleets);
}
console.log(machine());
