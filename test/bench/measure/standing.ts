import { isOurs, NOISE, type Row } from './part.ts';
import { quantile } from './quantiles.ts';

/**
 * Where ebb stands among its rivals in one group: which of them take less, and which more. Two whose quartiles overlap are
 * equal. `undefined` if the group has no rival.
 */
export function standing(values: ReadonlyMap<Row, readonly number[]>): string | undefined {
  const all = [...values].filter(([{ name }]) => name !== NOISE);
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
