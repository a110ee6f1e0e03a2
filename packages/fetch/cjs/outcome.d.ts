/** The outcome of an attempt with a response; headers and URL are read lazily. */
export declare class ResponseOutcome {
    #private;
    readonly type = "response";
    readonly status: number;
    constructor(response: Response);
    /** A look-up takes longer than a step of an iteration: what reads many headers gets a copy. */
    header(name: string): string | undefined;
    get redirected(): boolean;
    /** The target of a redirect. */
    get url(): string | undefined;
}
//# sourceMappingURL=outcome.d.ts.map