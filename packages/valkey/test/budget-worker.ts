// One process of a fleet that shares a retry budget: makes requests as fast as it can, a third of which fail.
import { setTimeout as pause } from 'node:timers/promises';
import { valkeyBudget } from '@ebb/valkey';
import { Redis } from 'iovalkey';

/** What the process does. */
export interface BudgetTask {
  readonly storeUrl: string;
  readonly key: string;
  readonly ratio: number;
  readonly reserve: number;
  readonly windowMs: number;
}

/** What the process did. */
export interface BudgetReport {
  succeeded: number;
  retried: number;
  denied: number;
  calls: number;
  readonly events: string[];
  unhandled: number;
  ranMs: number;
}

const { storeUrl, ...task } = JSON.parse(process.argv[2] ?? '{}') as BudgetTask;
const report: BudgetReport = {
  succeeded: 0,
  retried: 0,
  denied: 0,
  calls: 0,
  events: [],
  unhandled: 0,
  ranMs: 0,
};
process.on('unhandledRejection', () => {
  report.unhandled += 1;
});

const client = new Redis(storeUrl, { maxRetriesPerRequest: 1 });
client.on('error', () => {});
const budget = valkeyBudget({
  client,
  ...task,
  lease: { aheadMs: 20 },
  onStoreEvent: ({ type }) => report.events.push(type),
});

process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
const startMs = performance.now();
let stopped = false;
process.once('message', () => {
  stopped = true;
});
for (let request = 0; !stopped; request += 1) {
  budget.begin();
  await pause(2);
  if (request % 3 > 0) {
    budget.deposit();
    report.succeeded += 1;
  } else if (budget.withdraw()) {
    report.retried += 1;
  } else {
    report.denied += 1;
  }
  budget.end();
}
report.ranMs = performance.now() - startMs;
report.calls = budget.stats().calls;
await budget.close();
client.disconnect();
process.send?.(report);
process.disconnect();
