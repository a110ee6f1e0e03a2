import type { SteadyTime } from '@ebb/core/bucket';
/** One timer for everything that is due at some time. */
export declare class Timer {
    #private;
    constructor(time: SteadyTime, onDue: (nowMs: number) => void);
    /** Fires at `atMs`, or earlier if it was set to an earlier time; `onDue` must set it again. `Infinity` stops it. */
    set(atMs: number): void;
}
//# sourceMappingURL=timer.d.ts.map