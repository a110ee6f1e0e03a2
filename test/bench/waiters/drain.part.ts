import { watchTurns } from '../measure/held.ts';
import type { Part } from '../measure/part.ts';
import { limiter, limiters } from '../ours/limiters.ts';

const COUNT = 100_000;
/** Long enough to fill the first interval and to queue for the second within it. */
const QUOTA = { limit: COUNT, intervalMs: 5_000 };

export default {
  title: '100,000 waiters that are due at once',
  note:
    'After a limit of 100,000 in 5 s is used up, another 100,000 calls wait for the next 5 s: the time to queue them, the time ' +
    'from the first grant to the last, both together, and the longest turn of the event loop meanwhile.',
  columns: [
    { title: 'both, ms', value: ({ queueMs = 0, drainMs = 0 }) => queueMs + drainMs, spread: true },
    { title: 'queued in, ms', value: ({ queueMs = 0 }) => queueMs },
    { title: 'granted in, ms', value: ({ drainMs = 0 }) => drainMs },
    { title: 'longest turn, ms', value: ({ longestMs = 0 }) => longestMs },
  ],
  async rows() {
    const all = [...(await limiters())];
    const able = all.filter(([, { waiters = 'many', promised }]) => {
      return waiters === 'many' && promised === 'fixed windows';
    });
    return able.map(([name]) => ({ group: '', name }));
  },
  async measure({ name }) {
    const { take } = (await limiter(name)).make(QUOTA);
    const takeAll = (granted: () => void): Promise<unknown> => {
      const takes: Promise<unknown>[] = [];
      for (let index = 0; index < COUNT; index += 1) takes.push(take().then(granted));
      return Promise.all(takes);
    };
    await takeAll(() => {});
    const startMs = performance.now();
    let firstMs = 0;
    const all = takeAll(() => {
      firstMs ||= performance.now();
    });
    const queuedMs = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    if (firstMs !== 0) throw new Error(`${name} did not make them wait`);
    const longest = watchTurns();
    await all;
    return { queueMs: queuedMs - startMs, drainMs: performance.now() - firstMs, longestMs: longest() };
  },
} satisfies Part;
