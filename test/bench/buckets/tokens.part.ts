import { concurrencyLimit } from '@ebb/core';
import { systemClock } from '@ebb/core/adapter';
import { inGroups, inOneTurn, nsPerCall, oneByOne, type Run } from '../measure/batches.ts';
import type { Part, Row } from '../measure/part.ts';
import { limiter, limiters } from '../ours/limiters.ts';
import type { Limiter } from '../rivals/limiter.ts';

const QUOTA = { limit: 1e9, intervalMs: 1_000 };
const AT_ONCE = 1_000;

const TRIED = 'A token, or none, without a promise';

const runOf: Readonly<Record<string, (limiter: Limiter) => Run>> = {
  [TRIED]: (limiter) => inOneTurn(() => limiter.tryTake?.()),
  'A token awaited, one after the other': ({ take }) => oneByOne(take),
  'Tokens awaited, 1,000 at once': ({ take }) => inGroups(AT_ONCE, take),
};

/** Measured beside the buckets, to compare. */
const beside: Readonly<Record<string, () => Run>> = {
  'ebb, a slot, released': () => {
    const slots = concurrencyLimit({ maxConcurrent: 10 });
    return inOneTurn(() => slots.tryAcquire()?.release());
  },
  'ebb’s clock alone': () => inOneTurn(() => systemClock.now()),
};

export default {
  title: 'A token that is there',
  note: 'The time to take it from a limiter that never makes a caller wait.',
  columns: [{ title: 'ns', value: ({ ns = 0 }) => ns, spread: true }],
  async rows() {
    const all = [...(await limiters())];
    return Object.keys(runOf).flatMap((group): Row[] => {
      const able = all.filter(([, { make }]) => group !== TRIED || make(QUOTA).tryTake !== undefined);
      const names = able.map(([name]) => name);
      return [...names, ...(group === TRIED ? Object.keys(beside) : [])].map((name) => ({ group, name }));
    });
  },
  async measure({ group, name }) {
    const run = beside[name]?.() ?? runOf[group]?.((await limiter(name)).make(QUOTA));
    if (run === undefined) throw new Error(`There is no ${group}`);
    // Each is warmed up by as many calls, and for as long, the slowest too.
    const [ns = 0] = await nsPerCall([run], {
      step: group.includes('at once') ? AT_ONCE : 1,
      warmCalls: 3_000,
    });
    return { ns };
  },
} satisfies Part;
