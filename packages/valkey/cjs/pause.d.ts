import type { Reply, StoreCall } from './store-call.ts';
interface Hooks {
    readonly call: (call: StoreCall) => Promise<Reply>;
    /** Whether a pause can be sent now. `'unknown'`: the store was never reached, so a `peek` has to succeed first. */
    readonly readiness: () => 'connected' | 'unknown' | 'unavailable';
    readonly onBegin: (untilMs: number) => void;
    /** The pause ended, or will, so many milliseconds earlier than known. */
    readonly onEnd: (earlierMs: number) => void;
}
/** The pause of the whole fleet, as one process knows it: begun or ended here, or reported by the store. */
export declare class FleetPause {
    #private;
    /** When the bucket serves again. */
    untilMs: number;
    constructor(hooks: Hooks);
    /** Takes over the pause of a reply: another process may have begun or ended one. */
    observe({ pausedMs, atUs }: Reply, nowMs: number): void;
    /** Pauses the fleet. Never shortens a pause. */
    begin(untilMs: number, nowMs: number): void;
    /** Ends the pause of the fleet. Other processes see that with their next call. */
    end(nowMs: number): void;
    /** Sends what the store has not received, if it can be called. */
    sync(nowMs: number): void;
    /** Resolves when nothing is being sent. */
    settled(): Promise<void>;
}
export {};
//# sourceMappingURL=pause.d.ts.map