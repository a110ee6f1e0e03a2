import { type Attempt } from '../../index.ts';
import type { VirtualClock } from '../../testing.ts';
import type { AdapterUnderTest, Got } from './adapter.ts';
import type { Row } from './row.ts';
/** The result of a row on the client's side. */
export interface Run {
    readonly delays: readonly number[];
    readonly waits: readonly number[];
    readonly reason: string | undefined;
    readonly got: Got | undefined;
    readonly thrown: string | undefined;
    /** What the call rejected with. */
    readonly error: unknown;
    /** How many attempts there were, by the events. */
    readonly attempts: number;
    /** What `attemptsOf` says; `undefined` if this client has no history of its responses. */
    readonly history: readonly Attempt[] | undefined;
    /** How many timers of the clock are left at the end; any is a leak. */
    readonly pending: number;
    /** How many slots of the call are still held; any is a leak. */
    readonly held: number;
}
/** When every row starts; the dates in the table are relative to it. */
export declare const NOW: number;
/** To be called when the server hangs: lets the attempt time out, or aborts. */
export declare function hung({ abort, policy }: Row, clock: VirtualClock, caller: AbortController): void;
/** Whether the script hangs until {@link hung} is called. */
export declare function hangs({ abort, policy }: Row): boolean;
/** Sends the row's request, and advances virtual time by each delay. */
export declare function play(row: Row, makeClient: AdapterUnderTest['client'], clock: VirtualClock, url: string, caller: AbortController): Promise<Run>;
//# sourceMappingURL=play.d.ts.map