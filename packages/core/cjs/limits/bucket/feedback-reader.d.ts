import type { Clock } from '../../base/clock.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import { type Feedback, type ReadFeedback } from '../../http/server-feedback.ts';
import type { Grant } from '../contracts.ts';
import type { WaitingBucketSetup } from './waiting-bucket-options.ts';
/** How a bucket reads responses. */
type FeedbackRules = Pick<WaitingBucketSetup, 'feedback' | 'feedbackScope' | 'maxPauseMs' | 'random'>;
/** Reads for a bucket what servers say about their quotas. */
export declare class FeedbackReader {
    #private;
    constructor(rules: FeedbackRules, time: {
        readonly clock: Clock;
    });
    /**
     * What an outcome says about a quota; `undefined` for nothing.
     *
     * @throws HookError if `feedback` throws, or returns an invalid value
     */
    read(outcome: Outcome, grant: Grant, request: RequestTraits | undefined, ofPolicy?: ReadFeedback | false): Feedback | undefined;
    /**
     * The pause that is asked for, in milliseconds, with some jitter on top so that a fleet does not return together; 0 for
     * none.
     */
    pauseMs(said: Feedback | undefined): number;
    /** The origin that a pause is for; `undefined` for all requests of the bucket. */
    pausedOrigin(outcome: Outcome, request: RequestTraits | undefined): string | undefined;
}
export {};
//# sourceMappingURL=feedback-reader.d.ts.map