import { type BackoffStrategy } from '@ebb/core';
import { type LockResult } from './optimistic-lock.ts';
/** A backoff rule and its name. */
export interface NamedRule {
    readonly name: string;
    readonly backoff: BackoffStrategy;
}
/** The constants of the article's program. */
export interface RaceSettings {
    /**
     * The `base` of that program, in milliseconds.
     * @default 5
     */
    readonly baseMs: number;
    /**
     * The largest wait, in milliseconds.
     * @default 2_000
     */
    readonly capMs: number;
    /**
     * How many clients compete. Each number is a point of the comparison.
     * @default 10, 20 … 190
     */
    readonly clients: readonly number[];
    /**
     * The delay of each message, in milliseconds: |N(mean, deviation)|.
     * @default 10
     */
    readonly networkMeanMs: number;
    /** @default 2 */
    readonly networkDeviationMs: number;
}
/** The article's own settings. */
export declare const ARTICLE_RACE: RaceSettings;
/**
 * The five rules of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture Blog, 2015).
 *
 * The article's program increments its counter before the formula, so its base of 5 ms gives a first wait of 5 · 2^1 ms.
 * Core's rules start at base · 2^0, which takes a base of 10 ms. Decorrelated jitter has no counter and keeps the 5 ms.
 */
export declare function articleRules({ baseMs, capMs, }: Pick<RaceSettings, 'baseMs' | 'capMs'>): readonly NamedRule[];
/** These rules with the article's own base and cap. */
export declare const ARTICLE_RULES: readonly NamedRule[];
/** Rules that are not in the article, on the same time scale. */
export declare const OTHER_RULES: readonly NamedRule[];
/** Options of {@link compareRules}. */
export interface Comparison {
    /** @default ARTICLE_RULES */
    readonly rules?: readonly NamedRule[];
    /** @default 10, 20 … 190 */
    readonly clients?: readonly number[];
    /** @default 100 */
    readonly runs?: number;
    /** @default 1 */
    readonly seed?: number;
    /**
     * The delay of each message, in milliseconds: |N(mean, deviation)|.
     * @default 10
     */
    readonly networkMeanMs?: number;
    /** @default 2 */
    readonly networkDeviationMs?: number;
    /** Called now and then with the share that is done, from 0 to 1. */
    readonly onProgress?: (share: number) => void;
}
/** The result for one rule and one number of clients. */
export interface ComparisonPoint extends LockResult {
    readonly rule: string;
}
/** Runs {@link raceForLock} for each rule and each number of clients. */
export declare function compareRules(comparison?: Comparison): ComparisonPoint[];
//# sourceMappingURL=comparison.d.ts.map