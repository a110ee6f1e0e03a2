import type { ServerEvent } from '@ebb/core';
import { expect, test } from 'vitest';
import { MessageReader } from './streams.ts';

/** A message with these headers, by type of their value; its checksums are not read. */
function message(data: string, headers: readonly (readonly [name: string, type: number, value: Buffer])[]) {
  const fields = headers.flatMap(([name, type, value]) => [
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([type]),
    ...(type === 7 || type === 6 ? [Buffer.from([value.length >> 8, value.length & 255])] : []),
    value,
  ]);
  const head = Buffer.concat(fields);
  const body = Buffer.from(data);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  return Buffer.concat([prelude, head, body, Buffer.alloc(4)]);
}

const named = (data: string, name: string) =>
  message(data, [
    [':date', 8, Buffer.alloc(8)],
    [':flag', 0, Buffer.alloc(0)],
    [':event-type', 7, Buffer.from(name)],
  ]);

const STREAM = Buffer.concat([
  named('{"text":"à la carte"}', 'contentBlockDelta'),
  message('{}', []),
  named('x'.repeat(300), 'long'),
  named('{"usage":1}', 'metadata'),
]);
const EVENTS: readonly ServerEvent[] = [
  { event: 'message', data: '{"text":"à la carte"}' },
  { event: 'message', data: '{}' },
  { event: 'message', data: '{"usage":1}' },
];

function read(bytes: Buffer, length: number): readonly ServerEvent[] {
  const found: ServerEvent[] = [];
  const reader = new MessageReader(200, (event) => void found.push(event));
  for (let at = 0; at < bytes.length; at += length) reader.part(bytes.subarray(at, at + length));
  return found;
}

test.each([1, 2, 3, 4, 5, 7, 16, 64, 10_000])('every message, in parts of %i bytes', (length) => {
  expect(read(STREAM, length)).toEqual(EVENTS);
});

test.each([
  ['no message', Buffer.from('not an event stream')],
  ['a length of zero', Buffer.alloc(64)],
  [
    'headers that end after their message',
    Buffer.from([0, 0, 0, 20, 0, 0, 0, 99, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]),
  ],
])('nothing of %s', (_, bytes) => {
  expect(read(Buffer.concat([bytes, STREAM]), 7)).toEqual([]);
});
