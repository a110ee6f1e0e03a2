import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bodyOf } from '../../test/body.ts';
import { migrateAll, type Program } from './run.ts';

const folder = new URL('../../test/runs/', import.meta.url).pathname;
const files = globSync('*.txt', { cwd: folder }).sort();

type Row = readonly [name: string, before: Program[], after: Program[]];

/** The rows of a file: what each is about, programs of a run, and what they become without imports and helpers. */
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
  const client = {
    path: 'client.mjs',
    text: "import ky from 'ky';\nexport const api = ky.create({ retry: { limit: 3, methods: ['post'] } });\n",
  };
  const request = { path: 'a.mjs', text: 'api.post(url, { retry: 0 });\n' };

  test.each<[string, Program[]]>([
    ['a client', [{ ...client, stays: true }, request]],
    ['a request', [client, { ...request, stays: true }]],
    ['a page with a request', [client, { ...request, path: 'a.vue', stays: true }]],
  ])('%s keeps the other', (_, programs) => {
    for (const [at, result] of migrateAll(programs).entries()) {
      const { text, stays = false } = programs[at] as Program;
      if (stays) expect(result).toMatchObject({ text, left: [] });
      else expect(result).toMatchObject({ rewritten: 0 });
    }
  });

  test('one that only loads the library keeps no client', () => {
    const [, result] = migrateAll([
      { path: 'other.mjs', text: "import ky from 'ky';\n", stays: true },
      client,
    ]);
    expect(result).toMatchObject({ rewritten: 1, left: [] });
  });
});
