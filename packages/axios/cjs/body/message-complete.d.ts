import type { Clock } from '@ebb/core';
/**
 * Calls `ended` when the body of a Node stream has arrived, even if no one reads it. For a stream that is not
 * known to belong to an `IncomingMessage`, calls it when the stream has been garbage collected.
 */
export declare function whenComplete(stream: object, request: unknown, clock: Clock, ended: () => void): void;
//# sourceMappingURL=message-complete.d.ts.map