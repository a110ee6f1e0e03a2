/** The rest of one quota. */
export interface Left {
    /** In the unit of the quota, such as requests or tokens; 0 or more. */
    readonly remaining: number;
    /** How long until there is more for one request, in milliseconds; 0 if there is enough, or the response does not say. */
    readonly resetMs: number;
}
type Header = (name: string) => string | undefined;
/** A duration such as 450ms, 27.4s or 6m0s, in milliseconds; `undefined` if the text is none, or its number too large. */
export declare function durationMs(text: string): number | undefined;
/**
 * The time until a reset, in milliseconds. Servers send seconds, seconds or milliseconds since 1970, a duration, or a
 * date, under the same field names.
 *
 * @param sentMs when the response was sent, in milliseconds since 1970
 */
export declare function resetMs(text: string | undefined, sentMs: number): number | undefined;
/**
 * The quotas that a response reports. Most report none, so only a few fields are looked up in every response.
 *
 * @param sentMs returns when the response was sent, in milliseconds since 1970
 * @param cost the tokens that a request needs of a quota that counts tokens; of one that counts requests it needs one
 * @param isRefusal true to look for every unit: a refusal may report only the one that is used up
 */
export declare function quotasOf(header: Header, sentMs: () => number, cost?: number, isRefusal?: boolean): readonly Left[];
export {};
//# sourceMappingURL=quota-fields.d.ts.map