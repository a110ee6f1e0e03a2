import type { Study } from './study.ts';
/** The studies whose figures are in the repository, drawn with the default seed of each. */
export declare const GOLDEN_STUDIES: readonly Study[];
//# sourceMappingURL=golden.d.ts.map