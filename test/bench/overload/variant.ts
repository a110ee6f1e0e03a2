// A child of `bench overload constants`: the rule of the throttle with one of its texts changed. Prints what comes of it in some worlds of
// each kind, or in all of the grid:
//   node --conditions=@ebb/source test/bench/overload/variant.ts 'FLOOR = 0.3' 'FLOOR = 0.1' [whole]
import { registerHooks } from 'node:module';

const [from = '', to = '', which] = process.argv.slice(2);

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

const { JUDGED, WHOLE } = await import('./judged.ts');
if (!hasChanged) throw new Error('the rule was imported before');

const found: Record<string, number> = {};
for (const [name, judge] of Object.entries(which === 'whole' ? WHOLE : JUDGED)) {
  for (const [measure, value] of Object.entries(judge())) found[`${name} ${measure}`] = value;
}
console.log(JSON.stringify(found));
