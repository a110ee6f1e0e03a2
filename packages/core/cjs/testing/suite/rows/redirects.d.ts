import type { Row } from '../row.ts';
/** What `beforeAttempt` adds is bound to the origin of the call; an idempotency key goes along. */
export declare const redirects: readonly Row[];
//# sourceMappingURL=redirects.d.ts.map