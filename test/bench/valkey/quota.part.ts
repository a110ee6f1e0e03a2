import { startServer } from '../../../packages/valkey/test/server.ts';
import type { Part } from '../measure/part.ts';
import { allowed, excess } from '../measure/promise.ts';
import { commandCounter } from '../measure/store-commands.ts';
import { sharedLimiter, sharedLimiters, WITHOUT_LEASES } from '../ours/shared-limiters.ts';

const QUOTA = { limit: 10_000, intervalMs: 5_000 };
/** Of the fleet, each with its own connection. */
const MEMBERS = 4;
const CALLERS = 64;
/** Less than two intervals, so that the third window does not begin by chance. */
const DURATION_MS = 9_800;

export default {
  title: 'A shared quota that binds',
  note:
    'Four members of a fleet, with 16 callers each that always want more than 2,000 a second. Each library is held to its own ' +
    'rule: ebb to 2,000 + 2,000 · t since the start, the others to 10,000 in each of the intervals of 5 s that follow one another.',
  ranked: false,
  columns: [
    { title: 'used, %', value: ({ used = 0 }) => used * 100, digits: 2 },
    { title: 'above its promise', value: ({ above = 0 }) => above, digits: 1 },
    { title: 'calls per 1,000 grants', value: ({ sent = 0 }) => sent * 1_000, digits: 1 },
    { title: 'commands in the store per grant', value: ({ run = 0 }) => run, digits: 3 },
    { title: 'longest wait, ms', value: ({ longestMs = 0 }) => longestMs },
  ],
  rounds: 1,
  async rows() {
    return sharedLimiters()
      .filter((name) => name !== WITHOUT_LEASES)
      .map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    await using server = await startServer();
    const { make, promised } = await sharedLimiter(name);
    const members = await Promise.all(Array.from({ length: MEMBERS }, () => make(server.url, QUOTA)));
    const count = await commandCounter(server);
    const times: number[] = [];
    let longestMs = 0;
    const startMs = performance.now();
    for (let caller = 0; caller < CALLERS; caller += 1) {
      const { take, takeTimed } = members[caller % MEMBERS] as (typeof members)[number];
      const timed = takeTimed ?? (() => take().then(() => performance.now()));
      const run = async (): Promise<void> => {
        for (let sinceMs = performance.now(); ; sinceMs = performance.now()) {
          const atMs = await timed();
          if (atMs > startMs + DURATION_MS) return;
          times.push(atMs - startMs);
          longestMs = Math.max(longestMs, performance.now() - sinceMs);
        }
      };
      run().catch((error) => {
        // Those that still wait at the end are refused when their limiter is closed.
        if (performance.now() < startMs + DURATION_MS) throw error;
      });
    }
    await new Promise((resolve) => setTimeout(resolve, DURATION_MS));
    const { sent, inside } = await count();
    await Promise.all(members.map(({ close }) => close?.()));
    times.sort((one, other) => one - other);
    return {
      used: times.length / allowed(promised, QUOTA, DURATION_MS),
      above: excess(promised, QUOTA, times),
      sent: sent / times.length,
      run: (sent + inside) / times.length,
      longestMs,
    };
  },
} satisfies Part;
