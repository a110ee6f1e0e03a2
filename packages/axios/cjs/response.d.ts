import type { AxiosResponse } from 'axios';
/** Reads one header from an `AxiosHeaders`, a web `Headers`, or the plain object of a custom adapter. */
export declare function headerOf(headers: unknown, name: string): string | undefined;
/** The response that an adapter resolved with, or that the error it rejected with carries. */
export declare function responseIn(settled: unknown): AxiosResponse | undefined;
//# sourceMappingURL=response.d.ts.map