import type { RequestTraits } from '../http/outcome.ts';
import type { HeaderChanges, NextAttempt } from '../policy/before-attempt.ts';
import type { Policy } from '../policy/policy.ts';
/** A request that follows a redirect, for a client that sees each hop as a request of its own. */
export interface Hop {
    /** True if this hop, or one before it, has another origin than the call. `beforeAttempt` is then not asked. */
    readonly isAway: boolean;
    /** The idempotency key of the call. */
    readonly key: string | undefined;
}
/**
 * True if what `beforeAttempt` returns must not be added: it may be a credential, which belongs to the origin of the call.
 *
 * @param call the request of the call, as the outermost layer has it; `undefined` if there is no other layer
 */
export declare function isAway(request: RequestTraits, hop: Hop | undefined, call: RequestTraits | undefined): boolean;
/** The idempotency key of a request. */
export interface KeptKey {
    readonly value: string;
    /** True if ebb has made it, false if the caller has set it. */
    readonly isOurs: boolean;
    /** False once an attempt did not carry it, or carried another one. */
    isKept: boolean;
}
/**
 * The key that identifies a request; `undefined` if it needs none and has none.
 *
 * @param carried the key of the call, for a request that follows a redirect
 * @throws HookError if `idempotencyKey` throws, or returns something else than a string
 */
export declare function keyOf(policy: Policy, request: RequestTraits, carried?: string): KeptKey | undefined;
/**
 * The headers that an attempt changes; `undefined` for none.
 *
 * @param key that of the request. It is marked if the attempt does not carry it
 * @param away true if `beforeAttempt` is not to be asked, see {@link isAway}
 * @throws HookError, at once or as a rejection, if `beforeAttempt` fails or returns something else than headers
 */
export declare function headerChangesOf({ beforeAttempt }: Policy, next: NextAttempt, key: KeptKey | undefined, away?: boolean): HeaderChanges | undefined | Promise<HeaderChanges | undefined>;
//# sourceMappingURL=header-changes.d.ts.map