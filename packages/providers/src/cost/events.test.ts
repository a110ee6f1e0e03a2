import type { ServerEvent } from '@ebb/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventReader } from './streams.ts';

/** The data of the events of a text that comes in parts of these lengths. */
function read(text: string, lengthOf: () => number = () => text.length, longest = 1_000): readonly string[] {
  const found: ServerEvent[] = [];
  const reader = new EventReader(longest, (event) => void found.push(event));
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOf();
    reader.part(bytes.subarray(at, at + length));
    at += length;
  }
  return found.map(({ data }) => data);
}

const streams = fc
  .array(
    fc.tuple(
      fc.constantFrom('data: 1', 'data: é', 'event: ping', 'event: a', ': note', '', 'data'),
      fc.constantFrom('\n', '\r\n', '\r'),
    ),
  )
  .map((lines) => lines.map((parts) => parts.join('')).join(''));
const lengths = fc.infiniteStream(fc.nat(7)).map((stream) => () => 1 + (stream.next().value ?? 0));

test('every event, wherever the stream is cut', () => {
  expect(read('data: 1\n\nevent: ping\ndata: 2\n\n: note\n\ndata: 3\r\n\r\ndata: 4\rdata: 5\r\r')).toEqual([
    '1',
    '3',
    '4\n5',
  ]);
  fc.assert(
    fc.property(streams, lengths, (text, cut) => {
      expect(read(text, cut)).toEqual(read(text));
    }),
  );
});

test('all that are short are found, whatever stands between', () => {
  const event = fc.nat(80).map((length) => `data: ${'x'.repeat(length)}`);
  const blank = fc.constantFrom('\n\n', '\r\n\r\n', '\r\r', '\n\r\n');
  fc.assert(
    fc.property(fc.array(fc.tuple(event, blank)), lengths, (events, cut) => {
      const short = events.filter(([text]) => text.length + 10 <= 40).map(([text]) => text.slice(6));
      const long = (data: string): boolean => data.length > 40;
      const found = read(events.flat().join(''), cut, 40);
      expect(found.some(long)).toBe(false);
      expect(found.filter((data) => data.length <= 24)).toEqual(short);
    }),
  );
});
