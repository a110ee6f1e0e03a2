/** Between Stryker's process and its thread that runs tests. */
export const CHANNEL = 'mutants';

export type Order =
  | { readonly type: 'dry-run' }
  | {
      readonly type: 'mutant';
      readonly id: string;
      /** Of the file that it is in. */
      readonly path: string;
      /** The ids of the tests that reach it. */
      readonly tests: readonly string[];
    };

/** How a test ended, in Stryker's words. */
export interface Tried {
  readonly id: string;
  readonly name: string;
  readonly status: 'success' | 'failed';
  readonly timeSpentMs: number;
  readonly failureMessage?: string;
}

export interface Answer {
  /** The tests that ran. */
  readonly tests: readonly Tried[];
  readonly mutantCoverage?: object;
  /** The test that fails with the mutant, and not without it. */
  readonly killer?: Tried;
  /** A test has failed without the mutant, too: a mutant has left something. */
  readonly dirty?: boolean;
}
