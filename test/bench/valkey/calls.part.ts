import { startServer } from '../../../packages/valkey/test/server.ts';
import type { Part } from '../measure/part.ts';
import { commandCounter } from '../measure/store-commands.ts';
import { sharedLimiter, sharedLimiters } from '../ours/shared-limiters.ts';

/** So high that no caller ever waits: only the calls are measured. */
const QUOTA = { limit: 5e8, intervalMs: 5_000 };
const WARM_MS = 300;
const MEASURED_MS = 1_000;
const CALLERS: Readonly<Record<string, number>> = { 'One caller': 1, '64 callers at once': 64 };

async function takeFor(ms: number, callers: number, take: () => Promise<unknown>): Promise<number> {
  const endMs = performance.now() + ms;
  let grants = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < endMs) {
      await take();
      grants += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return grants;
}

export default {
  title: 'A token of a shared bucket',
  note: 'One process and a store on the same machine. The quota is so high that no caller waits, and that ebb leases millions of tokens at a time.',
  columns: [
    { title: 'µs a grant', value: ({ perSecond = 1 }) => 1e6 / perSecond, digits: 2, spread: true },
    { title: 'grants a second', value: ({ perSecond = 0 }) => perSecond },
    { title: 'calls per 1,000 grants', value: ({ sent = 0 }) => sent * 1_000, digits: 2 },
    { title: 'commands in the store per grant', value: ({ run = 0 }) => run, digits: 3 },
  ],
  async rows() {
    return Object.keys(CALLERS).flatMap((group) => sharedLimiters().map((name) => ({ group, name })));
  },
  async measure({ group, name }) {
    await using server = await startServer();
    const { take, close } = await (await sharedLimiter(name)).make(server.url, QUOTA);
    const callers = CALLERS[group] ?? 1;
    await takeFor(WARM_MS, callers, take);
    const count = await commandCounter(server);
    const startMs = performance.now();
    const grants = await takeFor(MEASURED_MS, callers, take);
    const perSecond = (grants * 1_000) / (performance.now() - startMs);
    const { sent, inside } = await count();
    await close?.();
    return { perSecond, sent: sent / grants, run: (sent + inside) / grants };
  },
} satisfies Part;
