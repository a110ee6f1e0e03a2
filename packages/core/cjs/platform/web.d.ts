import type { RequestTraits } from '../http/outcome.ts';
import type { OtherRetries } from '../request/other-retries.ts';
export * from '../request/layers-web.ts';
/** The SDKs that retry run on servers. */
export declare function otherRetriesOf(_request: RequestTraits): OtherRetries | undefined;
//# sourceMappingURL=web.d.ts.map