/** A request body up to this size is kept in memory for a retry: 1 MiB, as gRPC keeps for a call. */
export declare const MOST_KEPT_BYTES: number;
/** How much of a response body is read before anyone reads it, so that the end of a short one is seen: 64 KiB. */
export declare const MOST_READ_AHEAD_BYTES: number;
/** The length of a buffer, in bytes; `undefined` for anything else. A buffer that was transferred to a worker has 0. */
export declare function bufferBytes(body: unknown): number | undefined;
/** The part of a Node stream that ebb uses. node-fetch and axios have Node streams as bodies. */
export interface NodeReadable {
    readonly destroyed?: boolean;
    readonly readableEnded?: boolean;
    readonly writableEnded?: boolean;
    readonly complete?: boolean;
    on(event: string, listener: (part?: unknown) => void): unknown;
    destroy?(error?: Error): unknown;
}
/**
 * A request body as policies may see it; `undefined` for a stream or an iterator, which are read only by the client, and for a
 * function that makes the body.
 */
export declare function readableBody(body: unknown): unknown;
/** True for a web stream. */
export declare function isWebReadable(body: unknown): body is ReadableStream<Uint8Array>;
/** True for a readable stream of Node. */
export declare function isNodeReadable(body: unknown): body is NodeReadable;
//# sourceMappingURL=body.d.ts.map