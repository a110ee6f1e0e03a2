import { type Session, SetAside } from '@ebb/core/adapter';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';
import { Held, type HeldListener } from './held.ts';
/** A response that is to be followed by a retry. */
export declare class Aside extends SetAside<Buffer> {
    readonly head: ResponseHead;
    trailers: ResponseHeaders;
    rawTrailers: RawHeaders;
    /** @param attempt `giveUp` aborts its connection */
    constructor(head: ResponseHead, session: Session, attempt: {
        giveUp(): void;
    });
    /** True if it has all of its body. */
    get isComplete(): boolean;
    limit(): void;
    /** Takes what has arrived of a response that was held back. */
    takeOver({ chunks, isOver, error, rawTrailers, trailers }: Held): void;
    /** All of it has arrived. */
    arrived(rawTrailers: RawHeaders, trailers: ResponseHeaders): void;
    /** The body ended early. */
    break(error: Error): void;
    /** Plays it after all. */
    held(listener: HeldListener): Held;
}
//# sourceMappingURL=aside.d.ts.map