import { stryker } from '../stryker.ts';

let left = 0;

/** The sum of two numbers, with mutants in it as Stryker puts them. */
export async function sum(one: number, other: number): Promise<number> {
  const mutant = stryker.activeMutant;
  if (mutant === 'minus') return one - other;
  if (mutant === 'swapped') return other + one;
  if (mutant === 'endless') return new Promise(() => undefined);
  if (mutant === 'left') left = 1;
  return one + other + left;
}
