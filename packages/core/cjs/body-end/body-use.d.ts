import type { Clock } from '../base/clock.ts';
/**
 * The use of one response body, and so of its connection, by the response and its clones (branches). It ends when one
 * branch has been read to its end, or all branches have been given up.
 */
export declare class BodyUse {
    #private;
    readonly clock: Clock;
    /** True in the turn of the event loop in which the response arrived. */
    isNew: boolean;
    /** The branches, until {@link letGo} or the end. */
    held: readonly object[] | undefined;
    /** Set while the body is read ahead, and after that. */
    stopReadingAhead: (() => void) | undefined;
    /**
     * @param first the response; for node-fetch its body
     * @param ended called at the end
     */
    constructor(first: object, clock: Clock, ended: () => void);
    get isOver(): boolean;
    /** Adds a callback for the end; calls it at once if the use has ended. */
    onEnd(ended: () => void): void;
    end(): void;
    /** Adds a clone. */
    add(branch: object): void;
    /**
     * Allows the garbage collection of the branches, and returns them. They are held before that, because most responses are
     * read at once, and it takes longer to register them.
     */
    letGo(): readonly object[];
    /** Ends a branch that was cancelled. If it is the last one, the connection is closed when `gone` settles. */
    cancel(branch: object, gone: Promise<unknown>): void;
    giveUp(gone?: Promise<unknown>): void;
}
//# sourceMappingURL=body-use.d.ts.map