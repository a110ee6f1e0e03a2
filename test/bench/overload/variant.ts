// A child of `bench overload constants`: the grid with one number of the throttle's rule changed. Prints what comes of it.
import { registerHooks } from 'node:module';

const [from = '', to = ''] = process.argv.slice(2);
const SEEDS = [1, 2];

// What is imported from here on.
let hasChanged = false;
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/limits/throttle/rule.ts')) return loaded;
    const source = String(loaded.source);
    if (!source.includes(from)) throw new Error(`the rule has no ${from}`);
    hasChanged = true;
    return { ...loaded, source: source.replace(from, to) };
  },
});

const { gainOf, meanOf } = await import('../../../packages/simulator/src/studies/grid/gains.ts');
const { runWorlds } = await import('../../../packages/simulator/src/studies/grid/runs.ts');
const { NO_RETRIES, SCHEMES, THROTTLE } = await import(
  '../../../packages/simulator/src/studies/grid/schemes.ts'
);
const { SMALL } = await import('../../../packages/simulator/src/studies/grid/worlds.ts');

const schemes = Object.fromEntries([NO_RETRIES, THROTTLE].map((name) => [name, SCHEMES[name] ?? {}]));
const all = runWorlds(SMALL, schemes, SEEDS);
if (!hasChanged) throw new Error('the rule was imported before');
const gains = all.map((runs) => gainOf(runs, THROTTLE));
const shareOf = (points: number): number =>
  (100 * gains.filter((gain) => gain >= points).length) / gains.length;
console.log(
  JSON.stringify({
    answered: meanOf(all, THROTTLE),
    near: shareOf(-1),
    worst: Math.min(...gains),
    healthy: meanOf(
      all.filter(({ world }) => world.trouble.startsWith('load')),
      THROTTLE,
    ),
  }),
);
