import type { RequestTraits } from '../http/outcome.ts';
/** Another library that retries the same request. */
export interface OtherRetries {
    /** The request header that shows it. */
    readonly header: string;
    readonly library: string;
}
/** The library that retries a request as well, with a warning once for each; `undefined` if none shows. */
export declare function otherRetriesOf(request: RequestTraits): OtherRetries | undefined;
//# sourceMappingURL=other-retries.d.ts.map