import { PROGRAMS } from '../size/programs.ts';
import { brotliSizes } from '../size/size.ts';
import type { Group } from './baseline.ts';
import { chainOf } from './chain.ts';
import type { Costs, Figures } from './compare.ts';
import { measurePaths } from './paths.ts';

/** A table that takes seconds, so that `test` compares it as well. */
export interface QuickTable {
  readonly names: readonly string[];
  measure(): Promise<Costs>;
}

function each(names: readonly string[], figuresOf: (name: string) => Promise<Figures>): QuickTable {
  const measured = async (name: string) => [name, await figuresOf(name)] as const;
  return { names, measure: async () => Object.fromEntries(await Promise.all(names.map(measured))) };
}

export const QUICK: Readonly<Partial<Record<Group, QuickTable>>> = {
  sizes: each(Object.keys(PROGRAMS), (name) => brotliSizes(PROGRAMS[name] ?? '')),
  paths: { names: ['one retry over fetch', '… with bucket, slots, budget'], measure: measurePaths },
  chains: each(['core'], async (name) => chainOf(name)),
};
