import type { Seen, Step, Upstream } from './step.ts';
/** A scripted server on loopback. */
export interface ScriptedServer extends Upstream {
    /** The requests so far. */
    readonly seen: Seen[];
    /** How many requests have not been answered completely. */
    readonly underWay: () => number;
    /** The largest number of requests that were under way at once. */
    readonly mostAtOnce: () => number;
    /** Ends every `held-200`, including later ones. */
    letGo(): void;
    /** Called when a `hang` begins, or an `endless-` body has written its last byte. */
    onHang: () => void;
}
/**
 * Starts a server that performs one step of the script for each request, and repeats the last step. With `cors` it
 * accepts requests from pages of other origins; their preflights are not counted.
 */
export declare function scriptedServer(script: readonly Step[], { cors }?: {
    readonly cors?: boolean;
}): Promise<ScriptedServer>;
//# sourceMappingURL=server.d.ts.map