import type { HeaderChanges } from '@ebb/core';
import { type RequestHeaders } from './headers.ts';
/**
 * Request headers with changes, in the form in which they came. Invalid ones stay as they are: undici refuses them.
 *
 * @param headers must be readable more than once
 */
export declare function changedHeaders(headers: RequestHeaders, made: HeaderChanges): RequestHeaders;
//# sourceMappingURL=header-changes.d.ts.map