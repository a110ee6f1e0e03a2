import type { Row } from './row.ts';
/** Every row. */
export declare const table: readonly Row[];
//# sourceMappingURL=table.d.ts.map