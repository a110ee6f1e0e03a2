import { BARE, isOurs, NOISE, type Row } from './part.ts';
import { median, quantile } from './quantiles.ts';

/**
 * Where ebb stands among its rivals in one group: which of them take less, and which more. Two that overlap in their
 * quartiles are equal. `undefined` if the group has no rival.
 */
export function standing(values: ReadonlyMap<Row, readonly number[]>): string | undefined {
  const all = [...values].filter(([{ name }]) => name !== NOISE && name !== BARE);
  const ours = all.find(([{ name }]) => isOurs(name))?.[1];
  const rivals = all.filter(([{ name }]) => !isOurs(name));
  if (ours === undefined || rivals.length === 0) return undefined;
  const names = (of: typeof rivals): string => of.map(([{ name }]) => name).join(', ') || 'none';
  const less = rivals.filter(([, theirs]) => quantile(theirs, 0.75) < quantile(ours, 0.25));
  const more = rivals.filter(([, theirs]) => quantile(theirs, 0.25) > quantile(ours, 0.75));
  const equal = rivals.filter((rival) => !less.includes(rival) && !more.includes(rival));
  const same = equal.length === 0 ? '' : ` The same within the quartiles: ${names(equal)}.`;
  return `Less than ebb: ${names(less)}.${same} More: ${names(more)}.`;
}

/**
 * What ebb adds relative to what each rival adds, by the medians of one run, and by how much two samples of the bare client
 * differ: less than that is no difference. `undefined` if the group has no rival.
 */
export function ratios(values: ReadonlyMap<Row, readonly number[]>): string | undefined {
  const all = [...values].filter(([{ name }]) => name !== BARE);
  const ours = all.find(([{ name }]) => isOurs(name))?.[1];
  const noise = all.find(([{ name }]) => name === NOISE)?.[1];
  const rivals = all.filter(([{ name }]) => !isOurs(name) && name !== NOISE);
  if (ours === undefined || rivals.length === 0) return undefined;
  const of = rivals.map(([{ name }, theirs]) => `${(median(ours) / median(theirs)).toFixed(2)} × ${name}`);
  const between =
    noise === undefined
      ? ''
      : ` A/A: ${quantile(noise, 0.25).toFixed(0)} … ${quantile(noise, 0.75).toFixed(0)}.`;
  return `ebb adds ${of.join(', ')}.${between}`;
}
