// One word, one meaning: the API reports use the words of the glossary, and no other words for the same things.
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync('CONTRIBUTING.md', 'utf8');
const [, section = ''] = page.split('## One word, one meaning');
const [glossary = ''] = section.split('\n## ');
const rows = [...glossary.matchAll(/^\| (?!word)([^|]+) \| ([^|]+) \| ([^|]*)\|$/gm)].map(
  ([, words = '', , others = '']) => ({
    words: words.split(', '),
    others: others.trim().split(', ').filter(Boolean),
  }),
);

// What packages of features import of each other has the names that it has there.
const doors = globSync('docs/api/*.api.md', { exclude: ['**/*.internal.api.md'] }).map((path) => ({
  door: basename(path, '.api.md'),
  code: /```ts\n(.*)```/s.exec(readFileSync(path, 'utf8'))?.[1] ?? '',
}));

interface Export {
  readonly door: string;
  readonly name: string;
  readonly kind: string;
  readonly text: string;
}

const exported: readonly Export[] = doors.flatMap(({ door, code }) =>
  code.split(/\n\n(?=\S)/).flatMap((block): Export[] => {
    const [, kind = '', name] =
      /^export (?:declare |abstract )*(type|interface|class|function|const) (\w+)/.exec(block) ?? [];
    return name === undefined ? [] : [{ door, name, kind, text: block.trim() }];
  }),
);

/** What each client has of its own, under one name. */
const OF_EACH_CLIENT = ['BodyFactory', 'ebbInterceptor', 'hedged', 'resumable', 'ResumableOptions'];

test('no exported name has two meanings', () => {
  const meanings = Map.groupBy(exported, ({ name }) => name);
  const several = [...meanings].filter(([, all]) => {
    const inDoors = Map.groupBy(all, ({ door }) => door);
    return new Set([...inDoors.values()].map((own) => own.map(({ text }) => text).join('\n'))).size > 1;
  });
  expect(several.map(([name]) => name).sort()).toEqual([...OF_EACH_CLIENT].sort());
});

test('no two exported types mean one thing', () => {
  const types = exported.filter(({ kind }) => kind === 'interface' || kind === 'class' || kind === 'type');
  const same = Map.groupBy(types, ({ name, text }) => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'X'));
  const names = [...same.values()].map((all) => [...new Set(all.map(({ name }) => name))]);
  expect(names.filter(({ length }) => length > 1)).toEqual([]);
  const all = new Set(exported.map(({ name }) => name));
  const aliases = types.filter(({ text }) => all.has(/^export type \w+ = (\w+);$/.exec(text)?.[1] ?? ''));
  expect(aliases.map(({ name }) => name)).toEqual([]);
});

/** Options of another library, which has words of its own. */
const OF_BOTTLENECK = /^reservoir(Refresh\w+)?$/;

/** The words of all names in the reports, members too, each with a name that has it. */
const used = new Map(
  doors.flatMap(({ code }) =>
    // Texts are values: what a service or another library calls something.
    (code.replaceAll(/'[^']*'|"[^"]*"/g, '').match(/\b[A-Za-z]\w+/g) ?? []).flatMap((name) =>
      (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => [word.toLowerCase(), name] as const),
    ),
  ),
);

test.each(rows.map(({ words, others }) => [words.join(', '), words, others] as const))(
  '%s',
  (_, words, others) => {
    expect(words.filter((word) => !used.has(word))).toEqual([]);
    const wrong = others.flatMap((word) => used.get(word) ?? []);
    expect(wrong.filter((name) => !OF_BOTTLENECK.test(name))).toEqual([]);
  },
);

test('the glossary is read', () => {
  expect(rows.length).toBeGreaterThan(20);
});
