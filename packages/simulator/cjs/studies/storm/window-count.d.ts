import type { Clock } from '@ebb/core';
/** A sum over a sliding time window, in slots: when time moves on by a slot, the oldest slot is dropped. */
export declare class WindowCount {
    #private;
    constructor(clock: Clock, windowMs: number, slots: number);
    get sum(): number;
    add(amount: number): void;
}
//# sourceMappingURL=window-count.d.ts.map