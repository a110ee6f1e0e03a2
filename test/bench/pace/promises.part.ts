import type { Part } from '../measure/part.ts';
import { allowed, excess, mostIn } from '../measure/promise.ts';
import { limiter, limiters } from '../ours/limiters.ts';
import type { Promised } from '../rivals/limiter.ts';

const QUOTA = { limit: 500, intervalMs: 1_000 };
const CALLERS = 200;
/** Less than five intervals, so that the sixth window does not begin by chance. */
const DURATION_MS = 4_900;

const RULES: Readonly<Record<Promised, string>> = {
  bucket: 'Promised: at most 100 + 500 · t in any t seconds',
  'bucket since the start': 'Promised: at most 100 + 500 · t since the start',
  'any window': 'Promised: at most 500 in any second',
  'fixed windows': 'Promised: at most 500 in each of the seconds that follow one another',
};

export default {
  title: 'Always a backlog, 500 calls a second',
  note:
    'Each library is held to its own rule: how much of what it allows is used, and by how many calls it is exceeded at most. ' +
    'A limit in fixed windows lets twice as much through where two windows meet.',
  ranked: false,
  columns: [
    { title: 'used, %', value: ({ used = 0 }) => used * 100, digits: 2 },
    { title: 'above its promise', value: ({ above = 0 }) => above, digits: 1 },
    { title: 'most in any second', value: ({ second = 0 }) => second },
    { title: 'most in any 100 ms', value: ({ tenth = 0 }) => tenth },
  ],
  rounds: 1,
  async rows() {
    const waiting = [...(await limiters())].filter(([, { waiters }]) => waiters !== 'none');
    return Object.entries(RULES).flatMap(([promised, group]) =>
      waiting.filter(([, rival]) => rival.promised === promised).map(([name]) => ({ group, name })),
    );
  },
  async measure({ name }) {
    const { make, promised } = await limiter(name);
    const { take, takeTimed } = make(QUOTA);
    const timed = takeTimed ?? (() => take().then(() => performance.now()));
    const times: number[] = [];
    const startMs = performance.now();
    const caller = async (): Promise<void> => {
      for (;;) {
        const atMs = await timed();
        if (atMs > startMs + DURATION_MS) return;
        times.push(atMs - startMs);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    times.sort((one, other) => one - other);
    return {
      used: times.length / allowed(promised, QUOTA, DURATION_MS),
      above: excess(promised, QUOTA, times),
      second: mostIn(1_000, times),
      tenth: mostIn(100, times),
    };
  },
} satisfies Part;
