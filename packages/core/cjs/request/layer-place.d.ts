import type { RequestTraits } from '../http/outcome.ts';
import type { Around } from '../policy/part.ts';
import type { Passage, Surroundings } from './layer.ts';
/** The place of one session among the layers of ebb that its call passes through. */
export declare class LayerPlace implements Around {
    #private;
    readonly surroundings: Surroundings;
    constructor(request: RequestTraits | undefined, around: Surroundings);
    /** True if another layer around this one retries, and this one sends once. */
    get isInner(): boolean;
    get taken(): readonly object[];
    get slots(): readonly object[];
    get paid(): Set<object> | undefined;
    /** The request of the call as the outermost layer has it; `undefined` for that layer itself. */
    get callRequest(): RequestTraits | undefined;
    /** What this layer shows to those below it; `undefined` before its first attempt. */
    get passage(): Passage | undefined;
    /** Called before each attempt, with the bucket and the limit that it takes from. */
    enter(bucket: object | undefined, limit: object | undefined): void;
    /** Calls what sends the attempt, so that the layers below find this one. */
    sending<T>(send: () => T): T;
    /** True if the function has failed after a call that it made, which was retried and has failed. */
    get failedBelow(): boolean;
    /** The call has ended. Only the outermost layer calls this. */
    close(): void;
}
//# sourceMappingURL=layer-place.d.ts.map