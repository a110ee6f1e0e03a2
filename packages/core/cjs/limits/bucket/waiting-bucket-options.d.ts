import type { Clock, Random } from '../../base/clock.ts';
import { type Complete, type OptionTable } from '../../base/options.ts';
import { type ReadFeedback } from '../../http/server-feedback.ts';
import { type WaitingOptions } from '../queue/options.ts';
/** What a bucket does with a request whose tokens are not available: queue it, refuse it, or send it with a mark. */
export type NonConforming = 'delay' | 'reject' | 'mark';
/** What a server's pause applies to: its own origin, or every request of the bucket. */
type FeedbackScope = 'origin' | 'bucket';
/** Options of every bucket, whatever its tokens come from. */
export interface WaitingBucketOptions extends WaitingOptions {
    /**
     * What happens to a request whose tokens are not available: it waits, fails with a `ThrottledError`, or is sent and
     * reported with a `mark` event.
     * @default 'delay'
     */
    readonly nonConforming?: NonConforming | undefined;
    /**
     * Reads from a response for how long the server wants no requests; the bucket then pauses. `false` ignores responses.
     * A function of your own is given every outcome. The default skips most successful responses of an origin until it has
     * reported a quota: one in 32 is read, and one in 100 ms.
     * @default serverFeedback
     */
    readonly feedback?: ReadFeedback | false | undefined;
    /**
     * What such a pause applies to. `'origin'`: requests to the origin that asked; those to other origins go on with the
     * tokens that they share. `'bucket'`: all requests, for a quota that several hosts share.
     * @default 'origin'
     */
    readonly feedbackScope?: FeedbackScope | undefined;
    /**
     * The longest pause that a response can cause, in milliseconds.
     * @default 600_000
     */
    readonly maxPauseMs?: number | undefined;
    /** @default that of the policy; without a policy that of the system */
    readonly clock?: Clock | undefined;
    /** @default Math.random */
    readonly random?: Random | undefined;
}
/** Validated options with all defaults applied. */
export type WaitingBucketSetup = Complete<WaitingBucketOptions>;
/** How the options of every bucket are read. */
export declare const WAITING_BUCKET_OPTIONS: OptionTable<WaitingBucketOptions>;
export {};
//# sourceMappingURL=waiting-bucket-options.d.ts.map