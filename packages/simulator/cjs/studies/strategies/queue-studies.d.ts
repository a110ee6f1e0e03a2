import type { Study } from '../study.ts';
export declare const slots: Study;
export declare const tenants: Study;
export declare const processes: Study;
export declare const priorities: Study;
//# sourceMappingURL=queue-studies.d.ts.map