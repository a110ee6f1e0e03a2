import { type InternalAxiosRequestConfig } from 'axios';
/**
 * The URL of a request with `baseURL` and `params` applied, and in a browser resolved against the page. Never
 * throws: axios itself reports an invalid URL when the request is sent.
 */
export declare function urlOf(config: InternalAxiosRequestConfig): string;
//# sourceMappingURL=url.d.ts.map