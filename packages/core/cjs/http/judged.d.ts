import type { Judgement, Responded } from './outcome.ts';
/** The same response with a judgement. */
export declare function withJudgement(outcome: Responded, judgement: Judgement): Responded;
//# sourceMappingURL=judged.d.ts.map