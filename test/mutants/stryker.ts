/** What the code reads and writes into which Stryker has put its mutants. */
interface Stryker {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: { static: object; perTest: Record<string, object> };
}

const globals = globalThis as { __stryker__?: Stryker };
globals.__stryker__ ??= {};
export const stryker: Stryker = globals.__stryker__;
