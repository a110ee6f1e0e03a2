import type { BodyUse } from './body-use.ts';
/**
 * Reads a clone of a response whose body is not being read. If it reaches the end within bounds, the connection is free,
 * and the use of the body ends; otherwise nothing changes. The response itself can still be read.
 *
 * Hazard: this must not hold the response, which could then never be garbage-collected.
 */
export declare function readAhead(copy: Response, use: BodyUse): void;
//# sourceMappingURL=read-ahead.d.ts.map