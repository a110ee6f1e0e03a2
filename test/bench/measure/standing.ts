import { BARE, isOurs, NOISE, QUARTILES, type Quantiles, type Row } from './part.ts';
import { quantile } from './quantiles.ts';

/**
 * Where ebb stands among its rivals in one group: which of them take less, and which more. Two that overlap in their
 * spread are equal. `undefined` if the group has no rival.
 */
export function standing(
  values: ReadonlyMap<Row, readonly number[]>,
  [low, , high]: Quantiles = QUARTILES,
): string | undefined {
  const all = [...values].filter(([{ name }]) => name !== NOISE && name !== BARE);
  const ours = all.find(([{ name }]) => isOurs(name))?.[1];
  const rivals = all.filter(([{ name }]) => !isOurs(name));
  if (ours === undefined || rivals.length === 0) return undefined;
  const names = (of: typeof rivals): string => of.map(([{ name }]) => name).join(', ') || 'none';
  const less = rivals.filter(([, theirs]) => quantile(theirs, high) < quantile(ours, low));
  const more = rivals.filter(([, theirs]) => quantile(theirs, low) > quantile(ours, high));
  const equal = rivals.filter((rival) => !less.includes(rival) && !more.includes(rival));
  const same = equal.length === 0 ? '' : ` The same within the spread: ${names(equal)}.`;
  return `Less than ebb: ${names(less)}.${same} More: ${names(more)}.`;
}

/**
 * What ebb adds relative to what each rival adds, by the figures of one run, and by how much two samples of the bare client
 * differ: less than that is no difference. `undefined` if the group has no rival.
 */
export function ratios(
  values: ReadonlyMap<Row, readonly number[]>,
  [low, middle, high]: Quantiles = QUARTILES,
): string | undefined {
  const all = [...values].filter(([{ name }]) => name !== BARE);
  const ours = all.find(([{ name }]) => isOurs(name))?.[1];
  const noise = all.find(([{ name }]) => name === NOISE)?.[1];
  const rivals = all.filter(([{ name }]) => !isOurs(name) && name !== NOISE);
  if (ours === undefined || rivals.length === 0) return undefined;
  const of = rivals.map(
    ([{ name }, theirs]) => `${(quantile(ours, middle) / quantile(theirs, middle)).toFixed(2)} × ${name}`,
  );
  const between =
    noise === undefined
      ? ''
      : ` A/A: ${quantile(noise, low).toFixed(0)} … ${quantile(noise, high).toFixed(0)}.`;
  return `ebb adds ${of.join(', ')}.${between}`;
}
