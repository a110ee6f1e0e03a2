import { type MigrationResult, migrateAll } from './run.ts';

export type { MigrationResult } from './run.ts';

/**
 * Rewrites a program so that it uses ebb in place of other libraries for retries and rates. Code without a counterpart stays, below a
 * comment `TODO(ebb)`, and so do the options of a request whose client is in another file.
 *
 * @param path decides by its ending which language it is
 * @throws Error if the program cannot be parsed
 */
export function migrate(path: string, text: string): MigrationResult {
  const [result] = migrateAll([{ path, text }]);
  if (result instanceof Error) throw result;
  return result as MigrationResult;
}
