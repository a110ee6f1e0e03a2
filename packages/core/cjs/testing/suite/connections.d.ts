import type { AdapterUnderTest } from './adapter.ts';
import type { Ability } from './row.ts';
import { type StartUpstream } from './step.ts';
/** A row about the connections of many calls. */
interface ConnectionRow {
    readonly name: string;
    readonly needs: readonly Ability[];
    run(adapter: AdapterUnderTest, start: StartUpstream): Promise<void>;
}
/** Retries must not cost connections. */
export declare const connectionRows: readonly ConnectionRow[];
export {};
//# sourceMappingURL=connections.d.ts.map