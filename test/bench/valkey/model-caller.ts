// One process of a fleet that asks a language model: callers that send one request after the other.
import { type Costs, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { costFromResponse, estimatedCost } from '@ebb/providers';
import { valkeyBucket } from '@ebb/valkey';
import { Redis } from 'iovalkey';

/** What a process of the fleet does. */
export interface CallerTask {
  readonly storeUrl: string;
  readonly upstreamUrl: string;
  readonly key: string;
  readonly limits: Readonly<Record<string, { refillPerSecond: number; capacity: number }>>;
  readonly callers: number;
  readonly mostOutput: number;
}

/** What it did. */
export interface CallerReport {
  answers: number;
  failed: number;
  calls: number;
}

const task = JSON.parse(process.argv[2] ?? '{}') as CallerTask;
const client = new Redis(task.storeUrl);
const bucket = valkeyBucket({ client, key: task.key, limits: task.limits });
const report: CallerReport = { answers: 0, failed: 0, calls: 0 };

/** Of the units of the bucket. */
const known = (costs: Costs): Costs =>
  Object.fromEntries(Object.entries(costs).filter(([unit]) => unit in task.limits));

interface Usage {
  readonly input: number;
  readonly output: number;
}

const policy = createPolicy({
  bucket,
  methods: 'all',
  cost: estimatedCost(
    ({ body }) => {
      const { input, most } = JSON.parse(String(body)) as { readonly input: number; readonly most: number };
      return known({ requests: 1, input, output: most });
    },
    { first: 0.1 },
  ),
  actualCost: costFromResponse(async (response) => {
    const usage = (await response.json()) as Usage | undefined;
    return usage && known({ input: usage.input, output: usage.output });
  }),
});
const fetch = createFetch(policy);

let stopped = false;
async function keepAsking(): Promise<void> {
  while (!stopped) {
    const input = Math.ceil(50 * Math.exp(Math.random() * 3));
    const body = JSON.stringify({ input, most: task.mostOutput });
    try {
      const response = await fetch(task.upstreamUrl, { method: 'POST', body });
      await response.text();
      if (response.ok) report.answers += 1;
      else report.failed += 1;
    } catch {
      if (!stopped) report.failed += 1;
    }
  }
}

process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
for (let caller = 0; caller < task.callers; caller += 1) void keepAsking();
await new Promise((resolve) => process.once('message', resolve));
stopped = true;
report.calls = bucket.stats().calls;
process.send?.(report, () => process.exit());
