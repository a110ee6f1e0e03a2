export type Fetch = typeof globalThis.fetch;
/** What a fetch response says and axios does not pass on. */
export interface RecordedResponse {
    readonly status: number;
    readonly headers: Headers;
    readonly redirected: boolean;
    readonly url: string;
}
export declare function recordedResponse(request: unknown): RecordedResponse | undefined;
/** A fetch that records each response. Without `base` it calls the global fetch as it is at the time of the call. */
export declare function recordingFetch(base: Fetch | undefined): Fetch;
//# sourceMappingURL=recording-fetch.d.ts.map