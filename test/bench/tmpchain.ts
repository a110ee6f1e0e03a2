import { ownImportsOf, packageOf, sources } from '../sources.ts';

const withTypes = process.argv[2] === 't';
const known = new Map<string, string[]>();
const c = (p: string): string[] => {
  const f = known.get(p);
  if (f) return f;
  known.set(p, []);
  let best: string[] = [];
  for (const q of ownImportsOf(p, withTypes)) {
    const x = c(q);
    if (x.length > best.length) best = x;
  }
  const r = [p, ...best];
  known.set(p, r);
  return r;
};
const files = sources.filter((p) => packageOf(p) === 'core');
let b: string[] = [];
for (const f of files) {
  const x = c(f);
  if (x.length > b.length) b = x;
}
console.log(b.map((p) => p.replace(/.*core\/src\//, '')).join('\n'));
const all = files.map((f) => c(f)).sort((a, b) => b.length - a.length);
console.log(
  all
    .slice(0, 8)
    .map((x) => `${x.length} ${x[0]?.replace(/.*src\//, '')}`)
    .join('\n'),
);
