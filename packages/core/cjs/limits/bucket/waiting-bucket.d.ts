import { type Clock } from '../../base/clock.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import type { Feedback, ReadFeedback } from '../../http/server-feedback.ts';
import type { Part } from '../../policy/part.ts';
import { type ClockBound } from '../bind-clock.ts';
import type { AcquireOptions, BucketStats, CloseOptions, Grant, ObservableBucket, TokenBucket } from '../contracts.ts';
import type { CallsBeforeUse } from '../evicted.ts';
import type { Tally } from '../queue/options.ts';
import { SteadyTime } from '../queue/time.ts';
import type { Quota } from './gcra.ts';
import type { TokenSource, WaitingQueue } from './token-source.ts';
import type { WaitingBucketSetup } from './waiting-bucket-options.ts';
/**
 * A token bucket without its tokens: the queue with its deadlines, priorities and aborts, the timer, pauses, feedback,
 * statistics, and the treatment of requests for which there are no tokens. A subclass brings a {@link TokenSource}.
 */
export declare abstract class WaitingBucket<Source extends TokenSource, Gate extends ObservableBucket = ObservableBucket> implements ObservableBucket, CallsBeforeUse, ClockBound {
    #private;
    beforeUse: (() => void) | undefined;
    protected readonly source: Source;
    protected readonly time: SteadyTime;
    /**
     * @param makeSource makes the source. `time` is what its `nowMs` are counted in, and `queue` the requests that wait. It
     * calls `onChange` when tokens may have come by themselves, or will not come any more: at any time, because the queue is
     * served in a microtask
     * @param makeGate makes the bucket that stands in front of this one for an origin that asked for a pause:
     * with so many tokens, and a count of the requests at all of them
     */
    constructor(setup: WaitingBucketSetup, makeSource: (time: SteadyTime, queue: WaitingQueue, onChange: () => void) => Source, makeGate: (tokens: number, waiting: Tally) => Gate);
    get part(): Part;
    takeClock(clock: Clock): void;
    tryAcquire(cost?: number, earlier?: Grant): Grant | undefined;
    acquire(options?: AcquireOptions): Promise<Grant>;
    pauseFor(durationMs: number): void;
    resume(): void;
    observe(outcome: Outcome, grant: Grant, request?: RequestTraits, read?: ReadFeedback | false): Feedback | undefined;
    gateFor(request: RequestTraits): TokenBucket | undefined;
    /** The rate of a bucket for an origin that asked for a pause. */
    protected get gateRate(): Quota;
    /** The buckets of origins that asked for a pause. */
    protected gates(): Iterable<Gate>;
    idle(): Promise<void>;
    close(options?: CloseOptions): Promise<void>;
    stats(): BucketStats;
    /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
    protected capacityChanged(): void;
    /** Serves the queue until its first request has to go on waiting. */
    protected serve(): void;
}
//# sourceMappingURL=waiting-bucket.d.ts.map