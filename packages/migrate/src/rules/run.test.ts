import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bodyOf } from '../../test/body.ts';
import { migrateAll, type Program } from './run.ts';

const folder = new URL('../../test/runs/', import.meta.url).pathname;
const files = globSync('*.txt', { cwd: folder }).sort();

type Row = readonly [name: string, before: Program[], after: Program[]];

/** The rows of a file: what each is about, programs of a run, and what they become without imports. */
function rowsOf(file: string): Row[] {
  const [, ...rows] = readFileSync(folder + file, 'utf8').split(/^=== /m);
  return rows.map((row) => {
    const name = row.slice(0, row.indexOf('\n'));
    const parts = row.split(/^(?=(?:---|\+\+\+) )/m).slice(1);
    const marked = (mark: string): Program[] =>
      parts.flatMap((part) => {
        const end = part.indexOf('\n');
        return part.startsWith(mark) ? [{ path: part.slice(4, end), text: part.slice(end + 1) }] : [];
      });
    return [name, marked('---'), marked('+++').map(({ path, text }) => ({ path, text: text.trimEnd() }))];
  });
}

/** What becomes of programs, or why they cannot be read. */
function become(programs: readonly Program[]): Program[] {
  return migrateAll(programs).map((result, at) => ({
    path: programs[at]?.path ?? '',
    text: result instanceof Error ? result.message : bodyOf(result.text),
  }));
}

describe.each(files)('%s', (file) => {
  test.each(rowsOf(file))('%s', (_, before, after) => {
    expect(become(before)).toEqual(after);
    // In whatever order they are read.
    expect(become(before.toReversed()).toReversed()).toEqual(after);
  });

  test.each(rowsOf(file))('%s: a second run changes nothing', (_, before) => {
    const once = migrateAll(before).map((result, at) => {
      const { path = '', text = '' } = before[at] ?? {};
      return { path, text: result instanceof Error ? text : result.text };
    });
    const twice = migrateAll(once).map((result, at) =>
      result instanceof Error ? once[at]?.text : result.text,
    );
    expect(twice).toEqual(once.map(({ text }) => text));
  });
});

describe('a program that will not be written', () => {
  const call = { path: 'call.mjs', text: "import pRetry from 'p-retry';\nawait pRetry(load);\n" };
  const error = {
    path: 'error.mjs',
    text: "import { AbortError } from 'p-retry';\nthrow new AbortError('gone');\n",
  };

  test.each<[string, Program[]]>([
    ['a call', [{ ...call, stays: true }, error]],
    ['a page with a call', [error, { ...call, path: 'a.vue', stays: true }]],
  ])('%s keeps the error that stops it', (_, programs) => {
    for (const [at, result] of migrateAll(programs).entries()) {
      const { text, stays = false } = programs[at] as Program;
      if (stays) expect(result).toMatchObject({ text, left: [] });
      else expect(result).toMatchObject({ rewritten: 0 });
    }
  });

  test('one that only loads another library keeps nothing', () => {
    const other = { path: 'other.mjs', text: "import ky from 'ky';\n", stays: true };
    const [, , result] = migrateAll([other, call, error]);
    expect(result).toMatchObject({ rewritten: 1, left: [] });
  });
});
