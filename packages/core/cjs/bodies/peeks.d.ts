import type { Peek } from '../http/inspect.ts';
/** A part of a body as bytes: text in UTF-8, a buffer or a view of one. None for anything else. */
export declare function bytesOf(part: unknown): Uint8Array;
/** A look at a web stream, which must be a copy: a branch of a tee, or the body of a clone. */
export declare function peekAtWeb(copy: ReadableStream<unknown>): Peek;
/** A look at a body that is in memory. */
export declare function peekAtPart(part: () => Uint8Array | Promise<Uint8Array>): Peek;
//# sourceMappingURL=peeks.d.ts.map