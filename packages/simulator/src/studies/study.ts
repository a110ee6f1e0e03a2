import type { Table } from './table.ts';

/** How a study is run. */
export interface StudyOptions {
  /** @default the study's own */
  readonly seed?: number | undefined;
  /** Is told now and then how much is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** A figure that a study can draw. */
export interface StudyFigure {
  readonly name: string;
  readonly svg: string;
}

/** What came of a study. */
export interface StudyResult {
  readonly table: Table;
  readonly figures: readonly StudyFigure[];
  /** Rows of numbers, for a spreadsheet. */
  readonly csv: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly (string | number)[])[];
  };
  /** All of it, as plain data. */
  readonly data: unknown;
}

/** Something to simulate, with its name. */
export interface Study {
  readonly name: string;
  /** What it shows, in less than a line. */
  readonly shows: string;
  /** The names of the figures that it draws. */
  readonly figures: readonly string[];
  /** @throws ScenarioError for a scenario that cannot be run */
  run(options?: StudyOptions): StudyResult;
}
