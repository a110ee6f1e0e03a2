import type { Row } from '../row.ts';
/** The total timeout bounds the call until its response: it ends an attempt in flight. */
export declare const bounded: readonly Row[];
//# sourceMappingURL=total.d.ts.map