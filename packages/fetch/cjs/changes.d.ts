import { LAYER } from '@ebb/core/adapter';
import type { EbbRequestInit, FetchInput } from './init.ts';
/** Members that replace those of the caller's init. */
export interface InitChanges {
    body?: BodyInit;
    duplex?: 'half';
    headers?: HeadersInit;
    signal?: AbortSignal;
    /** Identifies this call to layers of ebb below. */
    [LAYER]?: object;
}
/** Tests by shape, because the `Request` may come from another realm. */
export declare function isRequest(value: unknown): value is Request;
/** The members of an init, or of a `Request`, that fetch reads. */
export declare function membersOf(source: object): Record<string, unknown>;
/** True if a copy of the init has all of its members. */
export declare function isPlainInit(init: EbbRequestInit | undefined): boolean;
/** The arguments of the base fetch, with changes to the init, and without `ebb`. */
export declare function withChanges(input: FetchInput, init: EbbRequestInit | undefined, changes: InitChanges): [FetchInput, RequestInit];
//# sourceMappingURL=changes.d.ts.map