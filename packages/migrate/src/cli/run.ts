import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { createTwoFilesPatch } from 'diff';
import { type MigrationResult, migrateAll } from '../rules/run.ts';
import { type Content, contentOf, namesLibrary } from './content.ts';
import { escapeControls, shownLines } from './escape-controls.ts';
import { type File, filesIn } from './files.ts';
import { whyUnsaved } from './git.ts';
import { HELP } from './help.ts';
import { type Change, commandsFor, tasksFor } from './packages.ts';
import { obstacle, writeAll } from './write.ts';

/** The streams of a process. */
export interface Streams {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
}

interface Flags {
  readonly dry?: boolean;
  readonly force?: boolean;
}

/** The results for the programs of some files. */
interface Outcome {
  readonly contents: readonly Content[];
  readonly migrated: readonly (readonly [Content, MigrationResult])[];
  /** By path, why one is not read or written. */
  readonly failed: ReadonlyMap<string, string>;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The version of this package, whether from its sources or from a build. */
function version(): string {
  return (createRequire(import.meta.url)('@ebb/migrate/package.json') as { readonly version: string })
    .version;
}

function diffOf(path: string, before: string, { text }: MigrationResult): string {
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, text).replace(/^=+\n/, '');
}

/** The contents of all readable files. */
function readAll(files: readonly File[], failed: Map<string, string>): Content[] {
  return files.flatMap((file) => {
    try {
      return [contentOf(file)];
    } catch (error) {
      failed.set(file.path, (error as Error).message);
      return [];
    }
  });
}

/** Why a file is not written; `undefined` if it may be. */
function dangerOf({ real, bytes }: Content, { dry, force }: Flags): string | undefined {
  if (dry) return undefined;
  const danger = force ? undefined : whyUnsaved(real, bytes);
  return danger === undefined ? obstacle(real) : `${danger}; --force writes it`;
}

function migrateFiles(files: readonly File[], flags: Flags): Outcome {
  const failed = new Map<string, string>();
  const contents = readAll(files, failed);
  const refused = new Set<Content>();
  const refuse = (content: Content, reason: string): void => {
    refused.add(content);
    failed.set(content.path, `not written: ${reason}`);
  };
  const pass = (): (MigrationResult | Error)[] =>
    migrateAll(
      contents.map((content) => ({
        ...content,
        stays: content.stays || refused.has(content),
      })),
    );

  const wanted = pass();
  for (const [at, content] of contents.entries()) {
    const result = wanted[at] as MigrationResult | Error;
    const { unreadable } = content;
    if (content.stays && namesLibrary(content.text)) failed.set(content.path, `not rewritten: ${unreadable}`);
    else if (result instanceof Error) failed.set(content.path, unreadable ?? result.message);
    else if (result.text !== content.text) {
      const danger = unreadable ?? dangerOf(content, flags);
      if (danger !== undefined) refuse(content, danger);
    }
  }
  // Programs that would be other ones without those: they have to wait for them.
  for (let before = 0; before < refused.size; ) {
    before = refused.size;
    const others = pass();
    for (const [at, content] of contents.entries()) {
      const [one, other] = [wanted[at], others[at]];
      if (refused.has(content) || one instanceof Error || other instanceof Error) continue;
      if (one?.text !== other?.text) refuse(content, 'it changes together with a file that is not written');
    }
  }
  const migrated = contents.flatMap((content, at): [Content, MigrationResult][] => {
    const result = wanted[at];
    return result === undefined || result instanceof Error || refused.has(content) ? [] : [[content, result]];
  });
  return { contents, migrated, failed };
}

/** All programs as they are after the run. */
function changesOf(contents: readonly Content[], migrated: Outcome['migrated']): Change[] {
  const results = new Map(migrated);
  return contents.map((content) => {
    const { real, text } = content;
    return { real, before: text, after: results.get(content)?.text ?? text };
  });
}

/** @returns the exit code: see {@link HELP} */
export function ebbMigrate(args: readonly string[], { stdout, stderr }: Streams): number {
  const fail = (message: string): void => void stderr.write(`ebb-migrate: ${escapeControls(message)}\n`);
  const flag = { type: 'boolean' } as const;
  const options = { dry: flag, force: flag, help: flag, version: flag };
  let values: Partial<Record<keyof typeof options, boolean>>;
  let files: File[];
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    values = parsed.values;
    files = filesIn(parsed.positionals);
  } catch (error) {
    fail((error as Error).message);
    return 2;
  }
  if (values.version) stdout.write(`${version()}\n`);
  else if (values.help || files.length === 0) stdout.write(`${HELP}\n`);
  if (values.version || values.help) return 0;
  if (files.length === 0) return 2;

  const { contents, migrated, failed } = migrateFiles(files, values);
  const changed = migrated.filter(([{ text }, result]) => result.text !== text);
  const programsNow = changesOf(contents, migrated);
  const left = [
    ...migrated.flatMap(([{ path }, result]) =>
      result.left.map(({ line, text }) => `${path}:${line}: ${text}`),
    ),
    ...tasksFor(programsNow),
  ];
  const rewritten = changed.reduce((sum, [, result]) => sum + result.rewritten, 0);
  for (const [path, message] of failed) fail(`${path}: ${message}`);
  if (!values.dry) {
    try {
      writeAll(
        changed.map(([{ real, bytes }, { text }]) => ({ real, before: bytes, after: Buffer.from(text) })),
      );
    } catch (error) {
      fail(`nothing was written: ${(error as Error).message}`);
      return 2;
    }
  }
  for (const [{ path, text }, result] of values.dry ? changed : []) {
    const diff = diffOf(path, text, result);
    stdout.write(stdout.isTTY ? shownLines(diff) : diff);
  }
  for (const task of left) stdout.write(`${escapeControls(task)}\n`);
  const programs = files.filter(({ isEmbedding }) => !isEmbedding).length;
  const verb = values.dry ? 'would be rewritten' : 'rewritten';
  const where = `${plural(rewritten, 'place')} ${verb} in ${plural(changed.length, 'file')} of ${programs}`;
  stdout.write(
    `${where}, ${plural(left.length, 'TODO')}${failed.size > 0 ? `, ${failed.size} not read or written` : ''}\n`,
  );
  for (const command of commandsFor(programsNow)) stdout.write(`${escapeControls(command)}\n`);
  if (failed.size > 0) return 2;
  return left.length > 0 ? 1 : 0;
}
