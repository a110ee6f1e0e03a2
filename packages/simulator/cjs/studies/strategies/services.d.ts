import type { Study } from '../study.ts';
export declare const retryAfter: Study;
export declare const timeouts: Study;
export declare const adaptiveRate: Study;
export declare const fleetBudget: Study;
//# sourceMappingURL=services.d.ts.map