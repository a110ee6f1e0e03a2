import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { ServerEvents } from './server-events.ts';

const first = (text: string) => new ServerEvents().take(text)[0];

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

test('a carriage return ends a line at once, and a line feed after it ends no other', () => {
  const parser = new ServerEvents();
  expect(parser.take('data: 1\r')).toEqual([]);
  expect(parser.take('\ndata: 2\n')).toEqual([]);
  expect(parser.take('\r')).toEqual([{ event: 'message', data: '1\n2' }]);
});

/** The events of a text that comes in parts of these lengths, from 1. */
function inParts(text: string, lengths: () => number, longest?: number): readonly object[] {
  const parser = new ServerEvents(longest);
  const found: object[] = [];
  for (let at = 0; at < text.length; ) {
    const length = lengths();
    found.push(...parser.take(text.slice(at, at + length)));
    at += length;
  }
  return found;
}

const streams = fc
  .array(
    fc.tuple(
      fc.constantFrom('data: 1', 'data: 22', 'event: ping', 'event: a', ': note', '', 'data'),
      fc.constantFrom('\n', '\r\n', '\r'),
    ),
  )
  .map((lines) => lines.map((parts) => parts.join('')).join(''));
const lengths = fc.infiniteStream(fc.nat(7)).map((stream) => () => 1 + (stream.next().value ?? 0));

test('the cuts of a stream do not matter', () => {
  fc.assert(
    fc.property(streams, lengths, (text, cuts) => {
      expect(inParts(text, cuts)).toEqual(new ServerEvents().take(text));
    }),
  );
});

describe('an event that is longer than the bound', () => {
  test.each<[story: string, text: string, data: readonly string[]]>([
    ['is left out, and the next is not', 'data: 123456789\n\ndata: 1\n\n', ['1']],
    ['in several lines', 'data: 1\ndata: 2\ndata: 3\n\ndata: 4\n\n', ['4']],
    ['as long as the bound', 'data: 1234\n\n', ['1234']],
    ['comments do not count', ': 1\n: 2\n: 3\n: 4\n: 5\ndata: 1\n\n', ['1']],
    ['nor do other fields', 'id: 123\nid: 456\ndata: 1\n\n', ['1']],
  ])('%s', (_, text, data) => {
    const found = new ServerEvents(10).take(text);
    expect(found.map((event) => event.data)).toEqual(data);
  });

  test('wherever the stream is cut', () => {
    fc.assert(
      fc.property(streams, lengths, (text, cuts) => {
        expect(inParts(text, cuts, 9)).toEqual(new ServerEvents(9).take(text));
      }),
    );
  });
});

describe('the work is in proportion to the stream', () => {
  /** How many characters the methods of strings and expressions were given. */
  function looked(run: () => void): number {
    let characters = 0;
    const restores = [
      ...(['indexOf', 'split', 'search', 'slice', 'replace'] as const).map((name) => {
        const real = String.prototype[name] as (...given: unknown[]) => unknown;
        const spy = vi.spyOn(String.prototype, name).mockImplementation(function (
          this: string,
          ...given: unknown[]
        ) {
          characters += this.length;
          return real.apply(this, given) as never;
        });
        return () => spy.mockRestore();
      }),
    ];
    const { exec } = RegExp.prototype;
    RegExp.prototype.exec = function (this: RegExp, text: string) {
      characters += text.length - this.lastIndex;
      return exec.call(this, text);
    };
    try {
      run();
    } finally {
      RegExp.prototype.exec = exec;
      for (const restore of restores) restore();
    }
    return characters;
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
        const parser = new ServerEvents();
        for (const part of parts) parser.take(part);
      }),
    ).toBeLessThan(10 * 20_000);
  });
});
