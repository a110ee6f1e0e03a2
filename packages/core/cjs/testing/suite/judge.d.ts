import type { Run } from './play.ts';
import type { Row } from './row.ts';
import type { Seen } from './step.ts';
/** What the judge knows of the adapter. */
export interface Judged {
    readonly timeoutError: string;
    /** True if each of its responses must have a history. */
    readonly hasHistory: boolean;
}
/**
 * Compares the result of a run, and the requests that the upstream received, with the row.
 *
 * @throws Error that says all that differs
 */
export declare function judge(row: Row, run: Run, seen: readonly Seen[], judged: Judged): void;
//# sourceMappingURL=judge.d.ts.map