import type { Table } from './table.ts';

/** Options of {@link Study.run}. */
interface StudyOptions {
  /** @default the seed of the study */
  readonly seed?: number | undefined;
  /** Called now and then with the share that is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/** A figure that a study has drawn. */
interface StudyFigure {
  readonly name: string;
  readonly svg: string;
}

/** The result of a study. */
export interface StudyResult {
  readonly table: Table;
  readonly figures: readonly StudyFigure[];
  /** The numbers, for a spreadsheet. */
  readonly csv: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly (string | number)[])[];
  };
  /** Everything, as plain data. */
  readonly data: unknown;
}

/** A named simulation with its table and figures. */
export interface Study {
  readonly name: string;
  /** The subject, in less than a line. */
  readonly shows: string;
  /** The names of the figures that it draws. */
  readonly figures: readonly string[];
  /** @throws ScenarioError for an invalid scenario */
  run(options?: StudyOptions): StudyResult;
}
