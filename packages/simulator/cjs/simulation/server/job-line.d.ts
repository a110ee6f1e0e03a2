/** A first-in, first-out queue of requests, on a ring that grows. */
export declare class JobLine {
    #private;
    size: number;
    stamp: number;
    push(job: number, stamp: number): void;
    /** Removes the first job, returns it, and sets {@link stamp} to its stamp. */
    shift(): number;
}
//# sourceMappingURL=job-line.d.ts.map