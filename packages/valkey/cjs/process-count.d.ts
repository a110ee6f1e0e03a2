/**
 * How many processes share a key: the highest count that the store returned in the last `validMs`. A store that lost
 * the key counts from 0 again, so a lower count is ignored for a while.
 */
export declare class ProcessCount {
    #private;
    constructor(validMs: number);
    /** 0 before the first reply. */
    get value(): number;
    record(count: number, nowMs: number): void;
    /** The present count is valid for another `validMs`. */
    renew(nowMs: number): void;
}
//# sourceMappingURL=process-count.d.ts.map