// The simulator's speed: the published comparison of backoff rules against the same model in plain Python, and fleets
// of a thousand to a million clients in a retry storm.
//
//   pnpm bench simulator [runs per point, default 100; Python takes one second for each two]
import { spawnSync } from 'node:child_process';
import { compareRules, type Scenario, simulate, storm, stormPolicies } from '@ebb/simulator';

// `run.ts` passes on its own arguments, the name of the benchmark first.
const RUNS = Number(process.argv[3] ?? 100);

function seconds(work: () => void): number {
  const startedAtMs = performance.now();
  work();
  return (performance.now() - startedAtMs) / 1_000;
}

console.log(`5 rules × 19 points × ${RUNS} runs, one process each:`);
const ours = seconds(() => compareRules({ runs: RUNS }));
console.log(`  ebb     ${ours.toFixed(2)} s`);
const script = new URL('aws_backoff.py', import.meta.url).pathname;
const python = spawnSync('python3', [script, String(RUNS)], { encoding: 'utf8' });
if (python.status === 0) {
  const [, theirs = '', messages = ''] = /([\d.]+) s, (\d+) messages/.exec(python.stderr) ?? [];
  console.log(`  Python  ${Number(theirs).toFixed(2)} s, ${messages} messages`);
  console.log(
    `  ${(Number(theirs) / ours).toFixed(0)} times as fast, ${(Number(messages) / ours / 1e6).toFixed(0)} M messages/s\n`,
  );
} else {
  console.log('  Python  skipped: python3 does not run\n');
}

/** The same storm for any number of clients, each of which sends a request every ten seconds. */
function stormOf(clients: number, policy: string): Scenario {
  const size = { clients, requestsPerSecond: clients / 10 };
  const { policies: _, ...scenario } = storm(undefined, size);
  const capacity = size.requestsPerSecond / 0.9;
  const server = { ...scenario.server, serviceMs: 200, workers: Math.round(capacity / 5) };
  return { ...scenario, server, policy: stormPolicies(size)[policy] };
}

/** Small fleets run several storms, so that the measurement is not mostly start-up. */
function measure(clients: number, policy: string): void {
  const storms = Math.max(1, Math.round(100_000 / clients));
  let events = 0;
  const took = seconds(() => {
    for (let seed = 1; seed <= storms; seed += 1)
      events += simulate(stormOf(clients, policy), { seed }).events;
  });
  const each = ((took * 1e9) / events).toFixed(0).padStart(4);
  const memory = (process.memoryUsage.rss() / 1e6).toFixed(0);
  console.log(
    `  ${String(clients).padStart(7)} clients  ${each} ns/event  ${(events / took / 1e6).toFixed(1)} M events/s  ` +
      `${took.toFixed(1)} s for ${(events / 1e6).toFixed(1)} M events  ${memory} MB`,
  );
}

for (const [policy, name] of [
  ['Memorystore', 'Fleets that keep nothing for themselves, through a storm of two minutes:'],
  ['+ budget', 'The same, each client with a retry budget of its own:'],
] as const) {
  console.log(name);
  simulate(stormOf(1_000, policy));
  for (const clients of [1_000, 10_000, 100_000, 1_000_000]) measure(clients, policy);
}
