/** A native signal in place of one of another library, which may have no `reason`. */
export interface Followed {
    readonly signal: AbortSignal;
    /** Removes the listener from the caller's signal. */
    release(): void;
}
/** Follows a signal of another library; `undefined` for a native one. */
export declare function followForeign(signal: AbortSignal): Followed | undefined;
//# sourceMappingURL=foreign-signal.d.ts.map