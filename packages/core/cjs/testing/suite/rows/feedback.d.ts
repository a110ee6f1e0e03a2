import type { Row } from '../row.ts';
/** What the server says besides its status. */
export declare const feedback: readonly Row[];
//# sourceMappingURL=feedback.d.ts.map