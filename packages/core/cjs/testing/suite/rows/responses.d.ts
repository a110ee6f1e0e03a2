import type { Row } from '../row.ts';
/** Which responses are retried, after which delays, and for how long. */
export declare const responses: readonly Row[];
//# sourceMappingURL=responses.d.ts.map