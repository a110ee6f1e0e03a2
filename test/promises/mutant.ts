import type { Promised } from './promise.ts';

/** The mutant that stands in place of its line while its file is loaded. */
export interface Mutant {
  row: Promised | undefined;
  isLoaded: boolean;
}

/** On the global object: vitest bundles its configuration, and with it a copy of this file. */
const holder = globalThis as { ebbMutant?: Mutant };
holder.ebbMutant ??= { row: undefined, isLoaded: false };

export const mutant: Mutant = holder.ebbMutant;
