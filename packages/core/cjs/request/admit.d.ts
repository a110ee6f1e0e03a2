import type { Lack, Turn } from '../policy/part.ts';
import type { Policy } from '../policy/policy.ts';
import type { Total } from './total.ts';
/** An attempt that has to wait for what its parts lack, or whose body user code makes. */
export interface Entrant {
    readonly policy: Policy;
    readonly turns: readonly Turn[];
    readonly total: Total | undefined;
    readonly attempt: number;
    /** How long it has waited so far, in milliseconds, and the part of it that it waited for its slot. */
    waitedMs: number;
    slotMs: number;
    /** What was waited for before everything was given back: the attempt keeps its place in the queues. */
    placeMs: number;
    /** True if the total timeout bounds the wait more than `maxWaitMs`. */
    isBoundByTotal: boolean;
    /** See {@link Turn.enter}. If something is lacking, nothing is held. */
    take(): Lack | undefined;
}
/** What {@link admit} calls on its way. */
export interface UserCode {
    /** Asks the hooks for headers; returns how long they took, in milliseconds. `undefined` without hooks. */
    readonly dress: (() => Promise<number>) | undefined;
    /** Makes the body; returns how long that took, in milliseconds. `undefined` without a body factory. */
    readonly makeBody: (() => Promise<number>) | undefined;
}
/** Makes an attempt wait for what its parts lack. */
export type Admit = typeof admit;
/**
 * Waits until an attempt has all that its parts take, or none of it. If that took long, the hooks make the headers anew. The body is
 * made with all of it held.
 *
 * @param lacking what is known to be lacking, if the parts have been asked
 * @throws the signal's own reason, OutOfTime, ThrottledError or HookError
 */
export declare function admit(entrant: Entrant, { dress, makeBody }: UserCode, signal: AbortSignal | undefined, lacking: Lack | undefined): Promise<void>;
//# sourceMappingURL=admit.d.ts.map