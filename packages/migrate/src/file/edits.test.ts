import { expect, test } from 'vitest';
import { Edits } from './edits.ts';

const TEXT = '0123456789';

test.each<
  [story: string, made: readonly (readonly [start: number, end: number, text: string])[], after: string]
>([
  [
    'an insertion before a replacement',
    [
      [4, 6, 'b'],
      [4, 4, '<'],
    ],
    '0123<b6789',
  ],
  [
    'one at the start of an earlier one',
    [
      [2, 8, 'a'],
      [2, 4, 'b'],
    ],
    '01a89',
  ],
  [
    'one around earlier ones',
    [
      [4, 6, 'b'],
      [2, 3, 'c'],
      [2, 8, 'a'],
    ],
    '01a89',
  ],
  [
    'an insertion in a replacement goes',
    [
      [4, 4, '<'],
      [2, 8, 'a'],
    ],
    '01a89',
  ],
])('edits: %s', (_, made, after) => {
  const edits = new Edits();
  for (const [start, end, text] of made)
    if (start === end) edits.insert(start, text);
    else edits.replace(start, end, text);
  expect(edits.applied(TEXT)).toBe(after);
});

test('a part of a text has the edits inside it alone', () => {
  const edits = new Edits();
  edits.replace(0, 2, 'a');
  edits.replace(3, 4, 'b');
  edits.insert(6, '>');
  edits.replace(6, 8, 'c');
  expect(edits.applied(TEXT, 2, 6)).toBe('2b45>');
});
