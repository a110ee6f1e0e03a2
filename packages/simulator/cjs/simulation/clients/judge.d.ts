import { decide } from '@ebb/core/adapter';
import type { Measures } from '../../measure/measures.ts';
import type { Fleet } from './fleet.ts';
import type { Requests } from './requests.ts';
/** Passes outcomes to the clients' buckets and policies, and returns what core decides. */
export declare class Judge {
    #private;
    constructor(fleet: Fleet, requests: Requests, measures: Measures);
    judge(request: number, outcome: number, nowMs: number): ReturnType<typeof decide>;
}
//# sourceMappingURL=judge.d.ts.map