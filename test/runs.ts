/** True in `test`, which is in a hurry. */
export const isQuick: boolean = process.env.EBB_QUICK === '1';

/**
 * How many cases a property plays: two fifths of these in `test`, and all in `npx vitest` and the checks. The first cases find nearly all
 * that the others do: check mutants plays 40 at the most.
 */
export const runs = (most: number): number => (isQuick ? Math.ceil(most * 0.4) : most);
