/** What a page promises, and a change of the source that breaks it: the tests must notice. */
export interface Promised {
  /** The page, and words of it: the promise, or a part of the sentence that it follows from. */
  readonly page: string;
  readonly says: string;
  /** The source, a part of one of its lines that stands there once, and what breaks the promise in its place. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Of these quick tests one fails then at least. */
  readonly tests: readonly string[];
}

type Row = Omit<Promised, 'page'>;

export function promises(page: string, rows: readonly Row[]): Promised[] {
  return rows.map((row) => ({ page, ...row }));
}
