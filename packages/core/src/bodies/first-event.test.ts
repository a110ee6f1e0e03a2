import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { FirstEvent } from './body-reader.ts';

const first = (text: string) => new FirstEvent().take(text);

test.each<[story: string, text: string, event: object | undefined]>([
  ['data alone', 'data: 1\n\n', { event: 'message', data: '1' }],
  ['with a name', 'event: error\ndata: 1\n\n', { event: 'error', data: '1' }],
  ['several lines', 'data: 1\ndata: 2\n\n', { event: 'message', data: '1\n2' }],
  ['carriage returns', 'event: a\r\ndata: 1\r\n\r\n', { event: 'a', data: '1' }],
  ['carriage returns alone', 'event: a\rdata: 1\r\rx', { event: 'a', data: '1' }],
  ['no blank after the colon', 'data:{"a": 1}\n\n', { event: 'message', data: '{"a": 1}' }],
  ['one of two blanks', 'data:  1\n\n', { event: 'message', data: ' 1' }],
  ['a field without a colon', 'data\n\n', { event: 'message', data: '' }],
  ['comments and other fields', ': hi\nid: 7\nretry: 3\ndata: 1\n\n', { event: 'message', data: '1' }],
  ['a ping first', 'event: ping\ndata: {}\n\nevent: error\ndata: 1\n\n', { event: 'error', data: '1' }],
  ['an event without data first', 'event: a\n\ndata: 1\n\n', { event: 'message', data: '1' }],
  ['an event that has not ended', 'data: 1\n', undefined],
  ['half a line', 'data: 1', undefined],
  ['nothing', '', undefined],
])('%s', (_, text, event) => {
  expect(first(text)).toEqual(event);
});

test('the cuts of a stream do not matter', () => {
  const line = fc.constantFrom('data: 1', 'data: 2', 'event: ping', 'event: a', ': note', '', 'data');
  const end = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end)), fc.infiniteStream(fc.nat(7)), (lines, cuts) => {
      const text = lines.map((parts) => parts.join('')).join('');
      const parser = new FirstEvent();
      let found: object | undefined;
      for (let at = 0; found === undefined && at < text.length; ) {
        const length = 1 + (cuts.next().value ?? 0);
        found = parser.take(text.slice(at, at + length));
        at += length;
      }
      expect(found).toEqual(first(text));
    }),
  );
});

describe('the work is in proportion to the stream', () => {
  /** How many characters the methods of strings and expressions were given. */
  function looked(run: () => void): number {
    const names = ['indexOf', 'split', 'search', 'slice', 'replace'] as const;
    const spies = names.map((name) => vi.spyOn(String.prototype, name));
    const exec = vi.spyOn(RegExp.prototype, 'exec');
    run();
    const texts = [...spies.flatMap(({ mock }) => mock.contexts), ...exec.mock.calls.flat()] as string[];
    vi.restoreAllMocks();
    return texts.reduce((sum, text) => sum + text.length, 0);
  }

  test.each<[story: string, text: (length: number) => string]>([
    ['a line that does not end', (length) => `data: ${'x'.repeat(length)}`],
    ['a comment', (length) => `: ${'x'.repeat(length)}\n`],
    ['short lines', (length) => 'data: 1\n'.repeat(length / 8)],
    ['blank lines', (length) => '\r\n'.repeat(length / 2)],
    ['pings', (length) => 'event: ping\ndata: 1\n\n'.repeat(length / 20)],
  ])('%s, in parts of one character', (_, text) => {
    const parts = [...text(20_000)];
    expect(
      looked(() => {
        const parser = new FirstEvent();
        for (const part of parts) parser.take(part);
      }),
    ).toBeLessThan(10 * 20_000);
  });
});
