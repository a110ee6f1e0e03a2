import type { HeaderChanges } from '@ebb/core';
import type { InternalAxiosRequestConfig } from 'axios';
type Headers = InternalAxiosRequestConfig['headers'];
/** Headers of the same class, which may be another copy's, with these values. */
export declare function copyWith(headers: Headers, values: object | undefined): Headers;
/** A copy of the headers with the changes of an attempt. Adapters write into it too: the original stays as it is. */
export declare function changed(headers: Headers, changes: HeaderChanges): Headers;
export {};
//# sourceMappingURL=header-changes.d.ts.map