/** True for a body that `fetch` can send only once: web and Node streams, async iterators. */
export declare function isOnce(body: unknown): boolean;
/**
 * Closes the source of an upload, such as a file. Does nothing to a body that is not a stream or iterator, and to a web
 * stream that is being read.
 */
export declare function cancelUpload(body: unknown, reason?: unknown): void;
//# sourceMappingURL=kinds.d.ts.map