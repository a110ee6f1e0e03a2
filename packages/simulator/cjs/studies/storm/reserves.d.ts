import type { Study } from '../study.ts';
/** Which reserve of a budget for each client lets which fleet recover. */
export declare const reserves: Study;
//# sourceMappingURL=reserves.d.ts.map