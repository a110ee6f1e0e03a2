import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROWS, type Row } from '../../test/programs.ts';
import { type MigrationResult, migrateAll } from './run.ts';

/** The files of a row after a run. */
function migrated({ files }: Row): MigrationResult[] {
  return migrateAll(files).map((result) => {
    if (result instanceof Error) throw result;
    return result;
  });
}

describe('sixty programs of one or more files', () => {
  test('there are so many', () => {
    const count = (kind: Row['expected']): number => ROWS.filter(({ expected }) => expected === kind).length;
    const [whole, todo, stays] = [count('whole'), count('todo'), count('stays')];
    expect([whole, todo, stays]).toEqual([40, 15, 5]);
    const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      `${whole} have none, ${todo} have some, and ${stays} stay`,
    );
  });

  test.each(ROWS.map((row) => [`${row.library}: ${row.name}`, row] as const))('%s', (_, row) => {
    const results = migrated(row);
    const left = results.flatMap((one) => one.left.map(({ text }) => text));
    if (row.expected === 'whole') expect(left).toEqual([]);
    else expect(left).toContainEqual(expect.stringContaining(row.reason));
    const isChanged = results.some(({ rewritten }) => rewritten > 0);
    if (row.expected !== 'todo') expect(isChanged).toBe(row.expected === 'whole');
    // No file loads the library beside one that does no more, but for what is left.
    const loads = results.filter(({ text }) => new RegExp(`['"]${row.library}(/light)?['"]`).test(text));
    if (row.expected === 'whole')
      expect(loads.filter(({ text }) => !text.includes("'axios-retry'"))).toEqual([]);
  });

  test.each(ROWS.map((row) => [`${row.library}: ${row.name}`, row] as const))(
    '%s: a second run changes nothing',
    (_, row) => {
      const once = migrated(row).map(({ text }, at) => ({ path: row.files[at]?.path ?? '', text }));
      expect(migrateAll(once)).toMatchObject(once.map(({ text }) => ({ text })));
    },
  );
});

describe.each([...new Set(ROWS.map(({ library }) => library))])('%s', (library) => {
  test('the programs become what stands beside them', async () => {
    const shown = ROWS.filter((row) => row.library === library).map((row) => {
      const texts = migrated(row).map(({ text }, at) => {
        const { path = '', text: before = '' } = row.files[at] ?? {};
        return text === before ? `--- ${path}: as it was\n` : `--- ${path}\n${text}`;
      });
      return `=== ${row.name}\n${texts.join('')}`;
    });
    await expect(shown.join('\n')).toMatchFileSnapshot(`../../test/programs/moved/${library}.txt`);
  });
});
