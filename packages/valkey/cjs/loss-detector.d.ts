/**
 * Detects a store that loses the bucket repeatedly. After one loss the processes restore what they know. If the store
 * loses it again before the bucket is full, it never learns what all processes have leased together.
 */
export declare class LossDetector {
    #private;
    /** `fillMs`: how long the bucket takes to fill. */
    constructor(fillMs: number);
    /**
     * Records whether a reply shows that the store has lost the bucket.
     *
     * @throws ForgetfulStoreError if it has lost the bucket again
     */
    record(lostBucket: boolean, nowMs: number): void;
}
/** The `error` of a `lost` event if the store does not keep the bucket. */
export declare class ForgetfulStoreError extends Error {
    readonly name = "ForgetfulStoreError";
    constructor(agoMs: number);
}
//# sourceMappingURL=loss-detector.d.ts.map