import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { sources, textOf } from './sources.ts';

const COMMENT = /\/\*\*?[\s\S]*?\*\/|(?:(?:^|\s)\/\/.*\n\s*)+/gm;

/** A riddle: its subject is a clause, or a word that stands for something in another sentence. */
const STARTS_WITH_RIDDLE = /^(?:What|That|One|Of|So (?:many|much|few))\b/;

/** The sentences of the comments of a file, without examples. */
function sentencesOf(text: string): readonly string[] {
  const comments = text.match(COMMENT) ?? [];
  return comments.flatMap((comment) =>
    comment
      .replace(/```[\s\S]*?```/g, '')
      .replace(/^\s*(?:\/\*\*?|\*\/|\*(?!\/)|\/\/)|\*\/$/gm, ' ')
      // A sentence begins at each tag, each point of a list, and each paragraph.
      .split(/(?<=[.:?!])\s+(?=[A-Z{`'])|@(?:param \S+|returns|throws|default|see|example)\s|\n\s*\n/)
      .flatMap((part) => part.split(/(?:^|\n)\s*- /))
      .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
      .filter((sentence) => sentence !== ''),
  );
}

test('every sentence of a comment has its subject, and at most one "that"', () => {
  const wrong = sources.flatMap((path) =>
    sentencesOf(textOf.get(path) ?? '')
      .filter((one) => STARTS_WITH_RIDDLE.test(one) || (one.match(/\bthat\b/gi)?.length ?? 0) > 1)
      .map((one) => `${path}: ${one}`),
  );
  expect(wrong).toEqual([]);
});

/** Participles and adjectives that have other endings than these. */
const PARTICIPLES =
  /^(?:said|begun|alike|own|taking|asked|made|told|held|during|given|sent|kept|found|left|lost|known|shown|taken|spent|paid|read|done|seen|built|brought|chosen|drawn|due|late|early|apart|alone|idle|ready|whole|other|last|next|previous|fresh|plain|vain|dead|alive)$/i;
const PARTICIPLE_ENDINGS = /^[A-Z]?[a-z]+(?:ed|ing|able|ible)$/;

/** Names that users know, and a class of Node. */
const NAMED_SO = new Set([
  'hedged',
  'resumable',
  'testing',
  'table',
  'Readable',
  'Heading',
  'finding',
  'Binding',
]);

const isParticiple = (name: string): boolean =>
  !NAMED_SO.has(name) && (PARTICIPLES.test(name) || PARTICIPLE_ENDINGS.test(name));

test('no file, type or function is named by a participle or an adjective alone', () => {
  const wrong = sources.flatMap((path) => {
    const declared = (textOf.get(path) ?? '').matchAll(
      /^(?:export )?(?:declare |abstract |async )*(?:function\*?|class|interface|type) (\w+)/gm,
    );
    const names = [basename(path, '.ts'), ...Array.from(declared, ([, name = '']) => name)];
    return names.filter(isParticiple).map((name) => `${path}: ${name}`);
  });
  expect(wrong).toEqual([]);
});
