import type { OnStoreError } from './events.ts';
import { LocalShare } from './local-share.ts';
import type { FleetSetup } from './options.ts';
/** How long to wait before a retry, at random within the second half of it, so that a fleet does not retry at once. */
export declare function retryDelayMs({ retryMs, random }: FleetSetup, retries: number): number;
/** A time in which the store is unreachable: what requests get meanwhile, and when to retry. */
export declare class Outage {
    #private;
    readonly sinceMs: number;
    /** The error that started it. */
    readonly error: unknown;
    readonly mode: OnStoreError;
    /** The part of the quota that this process has meanwhile, from 0 to 1. */
    readonly share: number;
    readonly local: LocalShare;
    /** When the bucket is shared again; `Infinity` before the store replies. */
    sharedAtMs: number;
    /** The store replies but does not keep the bucket. */
    readonly isForgetful: boolean;
    /**
     * @param processes how many processes share the bucket; 0 if the store never replied
     * @param emptyAtMs tokens that come in before then are leased already, by this process or others
     */
    constructor(setup: FleetSetup, error: unknown, processes: number, sinceMs: number, emptyAtMs: number, nowMs: number);
    /** Takes tokens, in millionths, if the mode and the local share allow it. */
    take(amount: number, nowMs: number): boolean;
    /** Sets the time of the next retry. Called when a retry is made. */
    scheduleRetry(nowMs: number): void;
    /** Makes the next retry due: the store has replied to an earlier call. */
    retryNow(): void;
    /** When to retry next, with so many calls unanswered; `Infinity` once the store has replied. */
    nextRetryMs(unanswered: number): number;
    /** When a timer is needed; `Infinity` if no request waits and there was none lately. */
    nextCheckMs(unanswered: number, waiting: boolean): number;
    /**
     * What to pay back for tokens spent while other processes already shared the bucket, in millionths. `resumeInMs` is
     * that of the reply: if 0 or less, they have shared it for so long. If they did so during the whole outage, only
     * this process was cut off. It then pays back at most its share of the capacity, so that a long outage of one
     * process does not starve the others.
     */
    debt(outageMs: number, resumeInMs: number): number;
    /**
     * How long the first process to reach the store keeps the shared bucket closed, in milliseconds. The others reach it
     * within that time, so none spends its local share beside the shared bucket. Local shares go on meanwhile.
     */
    handoverMs(nowMs: number): number;
}
//# sourceMappingURL=outage.d.ts.map