import type { Row } from '../row.ts';
/** What a body says, for policies with `inspect`. */
export declare const inspected: readonly Row[];
//# sourceMappingURL=inspected.d.ts.map