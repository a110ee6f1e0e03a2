import type { Study } from './study.ts';
/** All studies, in the order of the list of ebb-sim. */
export declare const STUDIES: readonly Study[];
//# sourceMappingURL=studies.d.ts.map