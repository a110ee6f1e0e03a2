import type { Row } from '../row.ts';
/** Servers and connections that fail. */
export declare const misbehaving: readonly Row[];
//# sourceMappingURL=misbehaving.d.ts.map