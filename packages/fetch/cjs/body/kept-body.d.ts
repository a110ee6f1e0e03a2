/** A copy of a `Request`'s body, made as it is sent. */
export interface KeptBody {
    /** The whole body; `undefined` until it has been read to its end, and if it is too long to keep. */
    readonly whole: Blob | undefined;
    /** Ends the copying. Without this, cancelling the upload would not cancel its source. */
    stop(): void;
}
/**
 * Copies the body of a `Request` while it is sent. A `Request` does not reveal whether its body is a string or an endless
 * stream, so the copy is bounded: past the bound it is dropped, and the upload goes on without it.
 */
export declare function keepBody(request: Request): KeptBody;
//# sourceMappingURL=kept-body.d.ts.map