// A child of `bench overload constants`: the rule of the throttle with one of its texts changed. Prints what comes of it in the worlds that
// are named, or in all.
import { registerHooks } from 'node:module';

const [from = '', to = '', ...names] = process.argv.slice(2);

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

const { JUDGED } = await import('./judged.ts');
if (!hasChanged) throw new Error('the rule was imported before');

const found: Record<string, number> = {};
for (const [name, judge] of Object.entries(JUDGED)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const [measure, value] of Object.entries(judge())) found[`${name} ${measure}`] = value;
}
console.log(JSON.stringify(found));
