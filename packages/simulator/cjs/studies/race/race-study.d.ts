import { type RaceSettings } from '../../race/comparison.ts';
import type { Study } from '../study.ts';
/** The race of the article, or a race with other settings. */
export declare function articleStudy(given?: Partial<RaceSettings>): Study;
/** The same race for rules that are not in the article. */
export declare const otherRulesStudy: Study;
//# sourceMappingURL=race-study.d.ts.map