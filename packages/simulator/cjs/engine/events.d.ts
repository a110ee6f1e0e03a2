import type { SimulationClock } from './simulation-clock.ts';
/** The kinds of events. The bits above the kind hold the client, request or job that the event is about. */
export declare const ARRIVAL = 0;
export declare const SEND = 1;
export declare const REACH = 2;
export declare const FINISH = 3;
export declare const ANSWER = 4;
export declare const TIMEOUT = 5;
export declare const LOOK = 6;
export declare const EXPIRE = 7;
export declare const CHANGE = 8;
/** The future events of a simulation, and its clock. */
export declare class Events {
    #private;
    readonly clock: SimulationClock;
    /** The sum of what `touch` returned. Without a use of it the compiler would remove the reads. */
    touched: number;
    /** `touch` reads the subject of an event that is due soon, so that it is in the processor's cache by then. */
    constructor(clock: SimulationClock, dayMs: number, touch: (subject: number) => number);
    get nowMs(): number;
    get nextAtMs(): number;
    /** `stamp` has 24 bits. `beside`, an outcome or an epoch, has 7. */
    add(delayMs: number, kind: number, subject: number, stamp?: number, beside?: number): void;
    /** Moves the clock to the next event. {@link kind}, {@link subject}, {@link stamp} and {@link beside} describe it. */
    next(): void;
    get kind(): number;
    get subject(): number;
    get stamp(): number;
    get beside(): number;
}
//# sourceMappingURL=events.d.ts.map