import type { Row } from '../row.ts';
/** Which requests are sent again. */
export declare const repeating: readonly Row[];
//# sourceMappingURL=repeating.d.ts.map