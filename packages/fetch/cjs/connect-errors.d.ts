/** Starts to record the origins of failed connections of Node's fetch. Costs nothing until one fails. */
export declare function recordConnectErrors(): void;
/**
 * True if fetch failed because it could not connect to the origin of `url`. Then nothing of the attempt was sent: after
 * a redirect from that origin a connection to it would exist. The exception is a server that redirects to itself, closes
 * the connection and refuses the next: its attempt gets a token back although the server counted it.
 */
export declare function failedToConnectTo(error: unknown, url: string): boolean;
//# sourceMappingURL=connect-errors.d.ts.map