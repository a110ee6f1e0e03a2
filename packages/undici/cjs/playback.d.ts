import type { Aside } from './aside.ts';
import type { Downstream } from './downstream.ts';
import type { RawHeaders } from './headers.ts';
import { Player } from './player.ts';
/** Gives the handler a response that was set aside. */
export declare class Playback extends Player {
    #private;
    readonly rawHeaders: RawHeaders;
    readonly rawTrailers: RawHeaders;
    constructor(aside: Aside, downstream: Downstream);
    start(): void;
    protected next(): boolean;
    protected ended(error: unknown): void;
}
//# sourceMappingURL=playback.d.ts.map