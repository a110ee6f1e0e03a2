import type { ServerEvent } from '@ebb/core';
import { LONGEST_FIELD, LONGEST_ID } from '@ebb/core/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EventHooks, EventStream, isCoded } from './event-stream.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (parts: readonly Uint8Array[]): string => Buffer.concat([...parts]).toString();

function setUp(hooks: Partial<EventHooks> = {}, lastId?: string) {
  const events: ServerEvent[] = [];
  const isLast = (event: ServerEvent): boolean => {
    events.push(event);
    return hooks.isLast?.(event) ?? false;
  };
  const stream = new EventStream(lastId, { maxEventBytes: 10_000, ...hooks, isLast });
  return { events, stream, take: (text: string): string => textOf(stream.take(bytes(text))) };
}

describe('the events that are read', () => {
  test.each<[text: string, events: ServerEvent[]]>([
    ['data: a\n\n', [{ event: 'message', data: 'a' }]],
    ['data:a\n\n', [{ event: 'message', data: 'a' }]],
    ['data:  a\n\n', [{ event: 'message', data: ' a' }]],
    ['data:: a\n\n', [{ event: 'message', data: ': a' }]],
    ['data\n\n', [{ event: 'message', data: '' }]],
    ['data: a\ndata: b\ndata\n\n', [{ event: 'message', data: 'a\nb\n' }]],
    ['event: x\ndata: a\n\n', [{ event: 'x', data: 'a' }]],
    [
      'event: x\ndata: a\n\ndata: b\n\n',
      [
        { event: 'x', data: 'a' },
        { event: 'message', data: 'b' },
      ],
    ],
    // The name belongs to an event that has no data, and so is none.
    ['event: x\n\ndata: b\n\n', [{ event: 'message', data: 'b' }]],
    ['event: x\nevent: y\ndata: a\n\n', [{ event: 'y', data: 'a' }]],
    ['event:\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
    [': data\n data: a\ndatas: a\n\n', []],
    ['\n\n\n', []],
    ['\uFEFFdata: a\n\n', [{ event: 'message', data: 'a' }]],
    [
      'data: a\r\rdata: b\r\n\r\n',
      [
        { event: 'message', data: 'a' },
        { event: 'message', data: 'b' },
      ],
    ],
  ])('%j', (text, expected) => {
    const { events, take } = setUp();
    expect(take(text)).toBe(text);
    expect(events).toEqual(expected);
  });

  test('a blank line that begins a stream ends nothing, and passes at once', () => {
    const { events, take } = setUp();
    expect([take('\n'), take('\r'), take('\n'), take('data: a\n'), take('\n')]).toEqual([
      ...['\n', '\r', '\n', '', 'data: a\n\n'],
    ]);
    expect(events).toEqual([{ event: 'message', data: 'a' }]);
  });

  test('a character in two parts is read whole', () => {
    const { events, stream } = setUp();
    const whole = bytes('data: ü\n\n');
    stream.take(whole.slice(0, 7));
    stream.take(whole.slice(7));
    expect(events).toEqual([{ event: 'message', data: 'ü' }]);
  });

  test('a stream in any parts passes on the same whole events, and reads them alike', () => {
    const line = fc.constantFrom('data: 1', 'data: ü', 'event: x', 'id: 7', 'id: 8', ':', 'retry: 5', '', '');
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    const lines = fc.array(fc.tuple(line, ends).map((both) => both.join('')));
    fc.assert(
      fc.property(lines, fc.array(fc.nat({ max: 60 })), (all, cuts) => {
        const text = all.join('');
        const whole = bytes(text);
        const once = setUp();
        const passedOnce = once.take(text);
        const inParts = setUp();
        const at = [...new Set([0, ...cuts.filter((cut) => cut < whole.length), whole.length])].sort(
          (one, other) => one - other,
        );
        const passed = at.slice(1).flatMap((end, index) => {
          const part = whole.slice(at[index], end);
          const got = inParts.stream.take(part);
          const copies = got.map((one) => one.slice());
          // The caller may transfer what it gets.
          for (const { buffer } of got) new Uint8Array(buffer).fill(0);
          return copies;
        });
        expect(textOf(passed)).toBe(passedOnce);
        expect(textOf(inParts.stream.left())).toBe(text.slice(passedOnce.length));
        expect(inParts.events).toEqual(once.events);
        for (const name of ['lastId', 'lost', 'retryMs', 'headers'] as const)
          expect(inParts.stream[name]).toEqual(once.stream[name]);
      }),
    );
  });
});

test.each<[text: string, lastId: string | undefined, lost: string | undefined]>([
  ['', 'old', undefined],
  ['id: 1\n\n', '1', undefined],
  ['id: 1\ndata: a\n\nid: 2\n', '1', undefined],
  ['data: a\n\n', 'old', 'events without an id'],
  ['data: a\n\nid: 1\n\n', '1', undefined],
  ['id: 1\ndata: a\n\ndata: b\n\n', '1', 'events without an id'],
  ['data: a\n\nevent: x\n\n', 'old', 'events without an id'],
  ['event: x\n\n', 'old', undefined],
  ['id: 1\n\nid\ndata: a\n\n', '', 'an id that was taken back'],
  [`id: ${'1'.repeat(LONGEST_ID)}\n\n`, '1'.repeat(LONGEST_ID), undefined],
  [`id: ${'1'.repeat(LONGEST_ID + 1)}\n\n`, 'old', undefined],
])('%j ends with the id %j, and cannot be resumed for %s', (text, lastId, lost) => {
  const { stream, take } = setUp({}, 'old');
  take(text);
  expect([stream.lastId, stream.lost]).toEqual([lastId, lost]);
});

test('an id in the data is that of a hook, which knows the one before', () => {
  const known: (string | undefined)[] = [];
  const idOf = ({ data }: ServerEvent, lastId: string | undefined) => {
    known.push(lastId);
    return /^\d+$/.exec(data)?.[0];
  };
  const { stream, take } = setUp({ idOf });
  take('data: 1\n\n');
  expect([stream.lastId, stream.lost]).toEqual(['1', undefined]);
  take('data: x\n\n');
  expect([stream.lastId, stream.lost]).toEqual(['1', 'events without an id']);
  expect(known).toEqual([undefined, '1']);
  take('id: 5\ndata: 2\n\nid: 6\ndata: x\n\n');
  expect([stream.lastId, stream.lost]).toEqual(['6', undefined]);
});

test('a hook that throws fails with its name', () => {
  const broken = (): never => {
    throw new Error('defect');
  };
  expect(() => setUp({ isLast: broken }).take('data: 1\n\n')).toThrow('isLast failed: defect');
  expect(() => setUp({ idOf: broken }).take('data: 1\n\n')).toThrow('idOf failed: defect');
});

test('a stream that has a last event may end after it alone, and any other at any time', () => {
  const { stream, take } = setUp({ isLast: ({ data }) => data === 'end' });
  take('data: 1\n\n');
  expect([stream.isDone, stream.mayEnd]).toEqual([false, false]);
  take('data: end\n\ndata: 2\n\n');
  expect([stream.isDone, stream.mayEnd]).toEqual([true, true]);
  const other = new EventStream(undefined, { maxEventBytes: 100 });
  other.take(bytes('data: 1\n\n'));
  expect([other.isDone, other.mayEnd]).toEqual([false, true]);
});

test.each<[text: string, retryMs: number | undefined]>([
  ['', undefined],
  ['retry: 5\n\n', 5],
  ['retry:50\n', 50],
  ['retry: 5', undefined],
  ['retry: 5x\n\n', undefined],
  ['retry: -5\n\n', undefined],
  ['xretry: 5\n\n', undefined],
  ['retry:\n\n', undefined],
  ['retry: 5\nretry: 6\nretry: x\n\n', 6],
  ['retry: 5\n\nretry: 6\nretry: x\n', 6],
  ['\uFEFFretry: 7\n', 7],
  ['retry: \uFEFF7\n', undefined],
  ['data: a\n\n\uFEFFretry: 7\n', undefined],
  [`retry: ${'0'.repeat(LONGEST_FIELD - 8)}9\n`, 9],
  [`retry: ${'0'.repeat(LONGEST_FIELD - 7)}9\n`, undefined],
])('%j asks to wait for %d ms', (text, retryMs) => {
  const { stream, take } = setUp();
  take(text);
  expect(stream.retryMs).toBe(retryMs);
});

test.each<[id: string | undefined, sent: string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['a-1', 'a-1'],
  ['ü', '\xc3\xbc'],
])('the id %j is sent as the bytes %j', (id, sent) => {
  expect(new EventStream(id, { maxEventBytes: 1 }).headers).toEqual({ 'last-event-id': sent });
});

test.each<[status: number, type: string | undefined, why: string | undefined]>([
  [204, undefined, undefined],
  [200, 'text/event-stream', undefined],
  [200, 'application/json', 'another content type'],
  [200, undefined, 'another content type'],
  [503, 'text/event-stream', 'status 503'],
])('a %i of the type %s is the rest, or not for %s', (status, type, why) => {
  const stream = new EventStream('1', { maxEventBytes: 1 });
  expect(stream.mismatch(status, (name) => (name === 'content-type' ? type : undefined))).toBe(why);
});

test.each([
  [undefined, false],
  ['identity', false],
  ['gzip', true],
  ['', true],
])('the coding %j: coded is %s', (coding, coded) => {
  expect(isCoded((name) => (name === 'content-encoding' ? coding : undefined))).toBe(coded);
});

describe('a rest', () => {
  test.each<[before: string, rest: string, passed: string]>([
    ['data: a\n\n', 'data: b\n\n', 'data: b\n\n'],
    // The unfinished event comes again.
    ['data: a\n\ndata: b', 'data: b\n\n', 'data: b\n\n'],
    // The line feed of the last line end, which was cut off.
    ['data: a\r\n\r', 'data: b\n\n', '\ndata: b\n\n'],
    ['data: a\r\n\r\n', 'data: b\n\n', 'data: b\n\n'],
    ['data: a\r\r', 'data: b\n\n', 'data: b\n\n'],
    ['data: a\n\r', 'data: b\n\n', 'data: b\n\n'],
    // A line feed that begins it is not the rest of a line end of the stream before.
    ['data: a\n\ndata: b\r', '\n', '\n'],
    ['data: a\n\ndata: b', '\n', '\n'],
    // The mark would belong to a field.
    ['data: a\n\n', '\uFEFFdata: b\n\n', 'data: b\n\n'],
    ['data: a', '\uFEFFdata: b\n\n', '\uFEFFdata: b\n\n'],
  ])('%j, and then %j', (before, rest, passed) => {
    const { stream, take, events } = setUp();
    take(before);
    stream.begin();
    expect(take(rest)).toBe(passed);
    // Owed once.
    expect(take('data: c\n\n')).toBe('data: c\n\n');
    expect(events.at(-1)).toEqual({ event: 'message', data: 'c' });
    expect(stream.left()).toEqual([]);
  });

  test('a line feed that is owed is left at the end of the stream', () => {
    const { stream, take } = setUp();
    take('data: a\r\n\r');
    stream.begin();
    take('data: b');
    expect(textOf(stream.left())).toBe('\ndata: b');
  });

  test('a mark in its middle is none', () => {
    const { take } = setUp();
    take('data: a\n\n');
    expect(take('\uFEFFdata: b\n\n')).toBe('\uFEFFdata: b\n\n');
  });

  test('what is kept of an event counts from the beginning of the rest, and of each event', () => {
    const { stream, take } = setUp({ maxEventBytes: 9 });
    take('data: abc');
    stream.begin();
    expect(take('data: abc')).toBe('');
    expect(take('\n\ndata: abc')).toBe('data: abc\n\n');
    expect(stream.mayEnd).toBe(false);
  });
});
