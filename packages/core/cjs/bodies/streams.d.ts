import type { Clock } from '../base/clock.ts';
import { type AsideBounds, SetAside } from './set-aside.ts';
/**
 * Reads a body to its end within bounds: a web stream or a Node stream. `undefined` for anything else, and for a stream
 * that someone else reads.
 */
export declare function setAside(body: unknown, bounds: AsideBounds): SetAside | undefined;
/**
 * Reads a body to its end, so that its connection can be used again: a web stream or a Node stream. Cancels the body, and
 * thus the connection, after {@link MOST_DISCARDED_BYTES} or `withinMs`, or when the signal aborts. Never rejects.
 *
 * @param contentLength the `Content-Length` of the response; ignored if it is not a number
 * @param withinMs in milliseconds
 * @returns true if the whole body was read, and for anything but a stream; false for a locked stream
 */
export declare function readToEnd(body: unknown, contentLength: string | null | undefined, clock: Clock, signal?: AbortSignal, withinMs?: number): Promise<boolean>;
/** As {@link readToEnd}, if it does not matter whether the whole body was read. Never rejects. */
export declare function drain(body: unknown, contentLength: string | null | undefined, clock: Clock, signal?: AbortSignal, withinMs?: number): Promise<void>;
//# sourceMappingURL=streams.d.ts.map