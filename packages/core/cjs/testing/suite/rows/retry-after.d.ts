import type { Row } from '../row.ts';
/** What `Retry-After` asks for. */
export declare const retryAfter: readonly Row[];
//# sourceMappingURL=retry-after.d.ts.map