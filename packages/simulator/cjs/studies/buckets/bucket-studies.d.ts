import type { Study } from '../study.ts';
export declare const appEngine: Study;
export declare const apiGateway: Study;
export declare const treatments: Study;
//# sourceMappingURL=bucket-studies.d.ts.map