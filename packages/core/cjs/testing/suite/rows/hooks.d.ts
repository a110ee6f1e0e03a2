import type { Row } from '../row.ts';
/** Functions of the user: headers, keys, verdicts. */
export declare const hooks: readonly Row[];
//# sourceMappingURL=hooks.d.ts.map