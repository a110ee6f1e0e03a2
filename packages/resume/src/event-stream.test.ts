import { MOST_KEPT_BYTES } from '@ebb/core/adapter';
import { expect, test } from 'vitest';
import { EventStream, isEventStream } from './event-stream.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (parts: readonly Uint8Array[]): string => parts.map((part) => Buffer.from(part)).join('');

/** What each part lets through, and whether the stream could be resumed after it. */
test.each<[name: string, steps: readonly (readonly [part: string, passed: string, lost?: RegExp])[]]>([
  [
    'as long as is kept',
    [
      ['id: 1\ndata: 6789', ''],
      ['\n\n', 'id: 1\ndata: 6789\n\n'],
    ],
  ],
  [
    'too long in one part',
    [
      ['id: 1\n\n', 'id: 1\n\n'],
      ['id: 2\ndata: 67890', 'id: 2\ndata: 67890', /more than 16 bytes/],
      ['\n\n', '\n\n', /more than 16 bytes/],
      ['id: 3\n', '', /more than 16 bytes/],
      ['\n', 'id: 3\n\n'],
    ],
  ],
  [
    'too long in many parts',
    [
      ['data: 67890', ''],
      ['123456', 'data: 67890123456', /more than/],
      ['7890', '7890', /more than/],
      ['1\n\nid: 4\n', '1\n\n', /more than/],
      ['\n', 'id: 4\n\n'],
    ],
  ],
  [
    'what arrives together with the end of one that is too long',
    [
      ['data: 6789012345678', 'data: 6789012345678', /more than/],
      ['\n\nid: 5\n\n', '\n\nid: 5\n\n', /more than/],
    ],
  ],
])('an unfinished event is kept up to a limit: %s', (_, steps) => {
  const stream = new EventStream(undefined, { maxEventBytes: 16 });
  for (const [part, passed, lost] of steps) {
    expect(textOf(stream.take(bytes(part)))).toBe(passed);
    if (lost === undefined) expect(stream.lost).toBe(undefined);
    else expect(stream.lost).toMatch(lost);
  }
});

test.each<[isOne: boolean, status: number, type: string | undefined]>([
  [true, 200, 'text/event-stream'],
  [true, 200, 'Text/Event-Stream'],
  [true, 200, ' text/event-stream ;charset=utf-8'],
  [true, 200, 'text/event-stream;charset=utf-8'],
  [false, 200, 'text/event-streams'],
  [false, 200, 'text/event-stream charset=utf-8'],
  [false, 200, 'application/text/event-stream'],
  [false, 200, undefined],
  [false, 206, 'text/event-stream'],
  [false, 503, 'text/event-stream'],
])('%s: a response %i of the type %s is an event stream', (isOne, status, type) => {
  expect(isEventStream(status, (name) => (name === 'content-type' ? type : undefined))).toBe(isOne);
});

test('no more than the limit is kept', () => {
  const stream = new EventStream(undefined, { maxEventBytes: MOST_KEPT_BYTES });
  const part = bytes(`data: ${'x'.repeat(64 * 1024 - 6)}`);
  let kept = 0;
  for (let sent = 0; sent < 64; sent += 1) {
    stream.take(part);
    kept = Math.max(
      kept,
      stream.left().reduce((sum, { length }) => sum + length, 0),
    );
  }
  expect(kept).toBe(1024 * 1024);
});

test('an event that is too long may have been the last', () => {
  const stream = new EventStream(undefined, { maxEventBytes: 4, isLast: () => false });
  expect(stream.mayEnd).toBe(false);
  stream.take(bytes('data: 1\n\n'));
  expect(stream.mayEnd).toBe(false);
  stream.take(bytes('data: 2'));
  expect(stream.mayEnd).toBe(true);
});

// Source: WHATWG HTML, "Server-sent events", on a field named `id`.
test('an id with a NUL is ignored: its event has none', () => {
  const stream = new EventStream(undefined, { maxEventBytes: 64 });
  stream.take(bytes('id: 1\ndata: a\n\n'));
  stream.take(bytes('id: 2\0\n\n'));
  expect([stream.lastId, stream.lost]).toEqual(['1', undefined]);
  stream.take(bytes('id: 3\0\ndata: b\n\n'));
  expect([stream.lastId, stream.lost]).toEqual(['1', 'events without an id']);
});

test('a wait that a line asks for holds as soon as the line has ended, as in an EventSource', () => {
  const stream = new EventStream(undefined, { maxEventBytes: 64 });
  stream.take(bytes('retry: 7\n\nid: 1\nretry: 2'));
  expect(stream.retryMs).toBe(7);
  stream.take(bytes('0\n'));
  expect(stream.retryMs).toBe(20);
  stream.begin();
  expect(stream.retryMs).toBe(20);
});
