import type { Row } from '../row.ts';
/** Tokens, and options of one request. */
export declare const limited: readonly Row[];
//# sourceMappingURL=limits.d.ts.map