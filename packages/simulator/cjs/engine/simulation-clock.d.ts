import type { Clock } from '@ebb/core';
/** The clock of a simulation, which sets `nowMs`. It has no timers: every wait is an event. */
export declare class SimulationClock implements Clock {
    nowMs: number;
    now(): number;
    schedule(): never;
}
//# sourceMappingURL=simulation-clock.d.ts.map