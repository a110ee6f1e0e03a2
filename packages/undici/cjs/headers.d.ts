import type { Dispatcher } from 'undici';
/** Request headers in any of the forms that undici takes: a record, a flat list, an iterable of pairs. */
export type RequestHeaders = Dispatcher.DispatchOptions['headers'];
/** Response headers as handlers get them: lower-case names, a list for a field that came several times. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;
/** Raw headers or trailers as a controller has them: names and values alternate, as received. */
export type RawHeaders = NonNullable<Dispatcher.DispatchController['rawHeaders']> | null;
/** What comes before the body of a response. */
export interface ResponseHead {
    readonly status: number;
    readonly headers: ResponseHeaders;
    readonly message: string | undefined;
    readonly rawHeaders: RawHeaders;
}
export declare function headOf(connection: Dispatcher.DispatchController | null | undefined, status: number, headers: ResponseHeaders, message: string | undefined): ResponseHead;
/** The names of request headers, in their original case, and their values. */
export declare function headerPairs(headers: RequestHeaders): Generator<[name: string, value: unknown]>;
/** A copy of headers from an iterable that can perhaps be read only once. undici takes it as it takes a Map. */
export declare class HeadersCopy {
    #private;
    constructor(entries: Iterable<unknown>);
    [Symbol.iterator](): Iterator<unknown>;
}
/**
 * The options with headers that can be read any number of times.
 *
 * @throws what the iterable of headers throws
 */
export declare function withRereadableHeaders(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions;
/**
 * The value of a request header.
 *
 * @param name in lower case
 */
export declare function requestHeader(headers: RequestHeaders, name: string): string | undefined;
/** The value of a response header; several values are joined with commas. */
export declare function responseHeader(headers: ResponseHeaders, name: string): string | undefined;
//# sourceMappingURL=headers.d.ts.map