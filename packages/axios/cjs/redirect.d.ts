import type { Traits } from './traits.ts';
/** Which hop an outcome came from. */
export interface Origin {
    /** True unless it is certain that no redirect was followed. */
    readonly redirected: boolean;
    /** The URL of the last hop, if a redirect was followed and the URL is known. */
    readonly url?: string | undefined;
}
/**
 * Tells from an adapter's `request` which hop an outcome came from. The response of a redirect's target says nothing
 * about whether the first server did its work, so a redirect is ruled out only by proof.
 */
export declare function originOf(traits: Traits, request: unknown): Origin;
//# sourceMappingURL=redirect.d.ts.map