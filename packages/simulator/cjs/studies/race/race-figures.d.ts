import type { ComparisonPoint } from '../../race/comparison.ts';
/** What is drawn of a race. */
export interface RaceFigure {
    readonly points: readonly ComparisonPoint[];
    /** What its settings are, as a sentence. */
    readonly settings: string;
}
/** How many calls all clients make until they are done. */
export declare function callsFigure(race: RaceFigure): string;
/** How long it takes until all clients are done, with jitter and without backoff. */
export declare function completionFigure({ points, settings }: RaceFigure): string;
/** How long exponential backoff takes without jitter and with full jitter. */
export declare function exponentialFigure({ points, settings }: RaceFigure): string;
/** The calls of the rules that are not in the published comparison. */
export declare function otherCallsFigure(race: RaceFigure): string;
/** The time of the rules that are not in the published comparison. */
export declare function otherCompletionFigure(race: RaceFigure): string;
//# sourceMappingURL=race-figures.d.ts.map