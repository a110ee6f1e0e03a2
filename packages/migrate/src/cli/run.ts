import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { createTwoFilesPatch } from 'diff';
import { type Migrated, migrate } from '../rules/migrate.ts';
import { programsIn, unsaved } from './files.ts';
import { HELP } from './help.ts';

/** The streams of a process. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

interface Totals {
  rewritten: number;
  files: number;
  left: number;
  failed: number;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The version of this package, whether from its sources or from a build. */
function version(): string {
  return (createRequire(import.meta.url)('@ebb/migrate/package.json') as { readonly version: string })
    .version;
}

function diffOf(path: string, before: string, { text }: Migrated): string {
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, text).replace(/^=+\n/, '');
}

/** @returns the exit code: see {@link HELP} */
export function ebbMigrate(args: readonly string[], { stdout, stderr }: Streams): number {
  const fail = (message: string): void => void stderr.write(`ebb-migrate: ${message}\n`);
  const flag = { type: 'boolean' } as const;
  const options = { dry: flag, force: flag, help: flag, version: flag };
  let values: Partial<Record<keyof typeof options, boolean>>;
  let programs: string[];
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    values = parsed.values;
    programs = programsIn(parsed.positionals);
  } catch (error) {
    fail((error as Error).message);
    return 2;
  }
  if (values.version) stdout.write(`${version()}\n`);
  else if (values.help || programs.length === 0) stdout.write(`${HELP}\n`);
  if (values.version || values.help) return 0;
  if (programs.length === 0) return 2;

  const totals: Totals = { rewritten: 0, files: 0, left: 0, failed: 0 };
  for (const path of programs) {
    try {
      const before = readFileSync(path, 'utf8');
      const migrated = migrate(path, before);
      totals.left += migrated.left.length;
      if (migrated.text !== before) {
        const danger = values.dry || values.force ? undefined : unsaved(path);
        if (danger !== undefined) throw new Error(`not written: ${danger}; --force writes it`);
        if (values.dry) stdout.write(diffOf(path, before, migrated));
        else writeFileSync(path, migrated.text);
        totals.files += 1;
        totals.rewritten += migrated.rewritten;
      }
      for (const { line, text } of migrated.left) stdout.write(`${path}:${line}: ${text}\n`);
    } catch (error) {
      totals.failed += 1;
      fail(`${path}: ${(error as Error).message}`);
    }
  }
  const verb = values.dry ? 'would be rewritten' : 'rewritten';
  const where = `${plural(totals.rewritten, 'place')} ${verb} in ${plural(totals.files, 'file')} of ${programs.length}`;
  stdout.write(
    `${where}, ${plural(totals.left, 'TODO')}${totals.failed > 0 ? `, ${totals.failed} not read or written` : ''}\n`,
  );
  if (totals.failed > 0) return 2;
  return totals.left > 0 ? 1 : 0;
}
