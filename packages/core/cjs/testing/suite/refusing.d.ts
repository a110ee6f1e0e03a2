/**
 * A port on 127.0.0.1 that refuses connections: the client's port of an open connection. The port of a closed server
 * would not do, since another test or program may soon listen on it.
 */
export declare function refusingPort(): Promise<number>;
/** The URL of that port. */
export declare function refusingUrl(): Promise<string>;
//# sourceMappingURL=refusing.d.ts.map