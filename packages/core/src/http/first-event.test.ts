import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FirstEvent } from './first-event.ts';

const first = (text: string, isWhole = false) => new FirstEvent().in(text, isWhole);

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

test('a carriage return at the end may be half of a line end, unless the stream has ended', () => {
  expect(first('data: 1\n\r')).toBeUndefined();
  expect(first('data: 1\n\r', true)).toEqual({ event: 'message', data: '1' });
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
        at += 1 + (cuts.next().value ?? 0);
        found = parser.in(text.slice(0, at), at >= text.length);
      }
      expect(found).toEqual(first(text, true));
    }),
  );
});
