import type { AdapterUnderTest } from './adapter.ts';
/** A row as one adapter has to pass it. */
export interface AdapterRow {
    readonly name: string;
    /** Why it is skipped; `undefined` if it is not. */
    readonly skipped: string | undefined;
    /** @throws Error that says all that differs */
    run(): Promise<void>;
}
/** The functions of a test runner. Those of `node:test`, Vitest, Jest, Bun and `Deno.test` fit. */
export interface Runner {
    /** Groups the tests; without it the name of each begins with that of the adapter. */
    describe?(name: string, define: () => void): unknown;
    readonly test: {
        (name: string, run: () => Promise<void>): unknown;
        skip?(name: string, run: () => Promise<void>): unknown;
        /** As `Deno.test` calls it. */
        ignore?(name: string, run: () => Promise<void>): unknown;
    };
}
/**
 * The rows of the suite for an adapter, for programs without a test runner.
 *
 * @throws TypeError if `skips` or `differs` name a row that is not there
 */
export declare function rowsFor(adapter: AdapterUnderTest): readonly AdapterRow[];
/**
 * Defines a test for each row. A row is skipped only for a reason that the adapter gives, which is part of the name of its test.
 *
 * @throws TypeError if `skips` or `differs` name a row that is not there
 */
export declare function suite({ describe, test }: Runner, adapter: AdapterUnderTest): void;
//# sourceMappingURL=suite.d.ts.map