import { type Clock } from '../base/clock.ts';
import type { NodeReadable } from '../http/body.ts';
/**
 * Calls `ended` when the body of a Node stream no longer needs its connection: when it has arrived, read or not, has failed, or
 * was garbage-collected. May call it more than once.
 *
 * @param source the message behind a stream that decompresses or counts, if it is known
 */
export declare function whenArrived(stream: NodeReadable, source: unknown, clock: Clock, ended: () => void): void;
//# sourceMappingURL=arrival.d.ts.map