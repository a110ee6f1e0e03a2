import type { Runner } from '@ebb/testing';

/** True in `check long`, which runs every combination. */
const isLong = process.env.EBB_LONG === '1';

/** The pairs of values that a combination has, each with where it stands. */
function pairsIn(values: readonly unknown[]): readonly string[] {
  return values.flatMap((one, at) =>
    values.slice(0, at).map((other, before) => `${before} ${other} ${at} ${one}`),
  );
}

/**
 * So many of the combinations that each pair of values is in one of them; in `check long` all.
 *
 * A fault that is seen with one value, or with two of them together, is then seen: Kuhn, Wallace, Gallo, "Software Fault Interactions and
 * Implications for Software Testing" (2004).
 */
export function pairs<T>(combinations: readonly T[], valuesOf: (one: T) => readonly unknown[]): readonly T[] {
  if (isLong) return combinations;
  const left = combinations.map((one) => ({ one, pairs: pairsIn(valuesOf(one)) }));
  const missing = new Set(left.flatMap((entry) => entry.pairs));
  const newIn = ({ pairs }: (typeof left)[number]): number =>
    pairs.filter((pair) => missing.has(pair)).length;
  const chosen = new Set<T>();
  while (missing.size > 0) {
    const best = left.reduce((most, entry) => (newIn(entry) > newIn(most) ? entry : most));
    chosen.add(best.one);
    for (const pair of best.pairs) missing.delete(pair);
  }
  return combinations.filter((one) => chosen.has(one));
}

/** A runner of the suite for each n-th row, counted from `first`; in `check long` for all. */
export function eachNth(
  { describe, test }: Required<Pick<Runner, 'describe' | 'test'>>,
  n: number,
  first: number,
): Runner {
  let row = 0;
  const isChosen = (): boolean => {
    row += 1;
    return isLong || row % n === first % n;
  };
  const chosen: Runner['test'] = (name, run) => isChosen() && test(name, run);
  return { describe, test: Object.assign(chosen, { skip: () => isChosen() }) };
}
