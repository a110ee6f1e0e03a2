import { describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../base/clock.ts';
import type { InspectionContext, Peek } from '../http/body.ts';
import { virtualClock } from '../testing.ts';
import { BodyReader } from './body-reader.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A look at what this opens. */
function readerOf(open: (most: number) => Peek | undefined, bytes = 100) {
  const clock = virtualClock({ startMs: 0 });
  const context = { request: { url: '/' }, attempt: 3, open } as unknown as InspectionContext;
  const outcome = { type: 'response', status: 503, header: (name: string) => `of ${name}` } as const;
  return { clock, context, reader: new BodyReader(outcome, context, { bytes, timeoutMs: 1_000, clock }) };
}

/** A look at these parts: after them the body ends, breaks, or nothing more comes. */
function setUp(
  parts: readonly Uint8Array[] | undefined,
  after: 'end' | 'nothing' | Error = 'end',
  bytes?: number,
) {
  const told: string[] = [];
  let next = 0;
  const peek: Peek = {
    async read() {
      const part = parts?.[next];
      next += 1;
      told.push('read');
      if (part !== undefined) return part;
      if (after instanceof Error) throw after;
      return after === 'end' ? undefined : new Promise(() => undefined);
    },
    stop: () => void told.push('stop'),
  };
  const open = (most: number): Peek | undefined => {
    told.push(`open ${most}`);
    return parts && peek;
  };
  return { told, ...readerOf(open, bytes) };
}

test('a look has the status, the headers, the request and the attempt', () => {
  const { reader, context } = setUp([]);
  expect([reader.status, reader.header('x'), reader.attempt]).toEqual([503, 'of x', 3]);
  expect(reader.request).toBe(context.request);
});

describe('what is read', () => {
  const json = '{"a":1}';

  test.each<
    [
      story: string,
      parts: Uint8Array[] | undefined,
      most: number,
      text: string,
      value: unknown,
      reads: number,
    ]
  >([
    ['a body', [encode(json)], 7, json, { a: 1 }, 2],
    ['parts', [encode('{"a"'), encode(':1}')], 7, json, { a: 1 }, 3],
    ['a longer body', [encode(json)], 6, '{"a":1', undefined, 1],
    ['a longer one in parts', [encode('{"a"'), encode(':1}')], 6, '{"a":1', undefined, 2],
    ['one that is not JSON', [encode('<a>')], 7, '<a>', undefined, 2],
    ['an empty one', [], 7, '', undefined, 1],
    ['none', undefined, 7, '', undefined, 0],
    ['a byte order mark', [encode('\uFEFF[1]')], 7, '[1]', [1], 2],
    ['a character in two parts', [Uint8Array.of(34, 195), Uint8Array.of(188, 34)], 7, '"ü"', 'ü', 3],
    ['half a character', [Uint8Array.of(34, 195)], 7, '"\uFFFD', undefined, 2],
  ])('%s', async (_, parts, most, text, value, reads) => {
    const { reader, told } = setUp(parts, 'end', most);
    expect(await Promise.all([reader.text(), reader.json()])).toEqual([text, value]);
    // Read once.
    expect(await Promise.all([reader.text(), reader.json()])).toEqual([text, value]);
    reader.end();
    expect(told).toEqual([`open ${most}`, ...Array(reads).fill('read'), ...(parts ? ['stop'] : [])]);
    expect(reader.error).toBeUndefined();
  });

  test('as far as it came, if it breaks', async () => {
    const error = new Error('broke');
    const { reader, told, clock } = setUp([encode('[1]')], error);
    expect(await Promise.all([reader.text(), reader.json()])).toEqual(['[1]', undefined]);
    expect([reader.error, clock.pending, told.join()]).toEqual([error, 0, 'open 100,read,read,stop']);
  });

  test('as far as it came in its time', async () => {
    const { reader, told, clock } = setUp([encode('[1]')], 'nothing');
    const read = Promise.all([reader.text(), reader.json(), reader.firstEvent()]);
    await clock.advance(999);
    expect(told.join()).toBe('open 100,read,read');
    await clock.advance(1);
    expect(await read).toEqual(['[1]', undefined, undefined]);
    expect(told.join()).toBe('open 100,read,read,stop');
    expect(reader.error).toBeUndefined();
  });

  test('nothing more once the look has ended', async () => {
    const { reader, told, clock } = setUp([encode('[1]')], 'nothing');
    const read = reader.text();
    await nextTurn();
    reader.end();
    expect(await read).toBe('[1]');
    expect([clock.pending, told.join()]).toEqual([0, 'open 100,read,read,stop']);
    const late = setUp([encode('[1]')]);
    late.reader.end();
    expect([await late.reader.text(), await late.reader.json(), late.told]).toEqual(['', undefined, []]);
  });

  test('an error or a part after the end is ignored', async () => {
    for (const late of [Promise.reject(new Error('late')), Promise.resolve(encode('late'))]) {
      late.catch(() => undefined);
      const held = Promise.withResolvers<void>();
      const read = () => held.promise.then(() => late);
      const { reader } = readerOf(() => ({ read, stop: () => undefined }));
      const text = reader.text();
      await nextTurn();
      reader.end();
      held.resolve();
      await nextTurn();
      expect([await text, await reader.text(), reader.error]).toEqual(['', '', undefined]);
    }
  });
});

test.each<[value: unknown, text: string, json: unknown, event: object | undefined]>([
  [{ a: 1 }, '{"a":1}', { a: 1 }, undefined],
  ['[1]', '[1]', [1], undefined],
  ['data: 1\n\n', 'data: 1\n\n', undefined, { event: 'message', data: '1' }],
  [5, '5', 5, undefined],
  [undefined, '', undefined, undefined],
  [null, 'null', null, undefined],
])('a body that the client has made %j of', async (value, text, json, event) => {
  const peek: Peek = { read: () => expect.fail('read'), stop: () => undefined, parsed: { value } };
  const { reader, clock } = readerOf(() => peek, 2);
  expect([await reader.text(), await reader.json(), await reader.firstEvent()]).toEqual([text, json, event]);
  expect(clock.pending).toBe(0);
});

describe('the first event', () => {
  const first = { event: 'message', data: '1' };

  test.each<[story: string, parts: string[], event: object | undefined, told: string]>([
    ['is not waited beyond', ['data: 1\n\n', 'data: 2\n\n'], first, 'open 100,read'],
    ['in parts', ['da', 'ta: 1\n', '\n', 'data: 2'], first, 'open 100,read,read,read'],
    ['that does not end', ['data: 1\n'], undefined, 'open 100,read,read,stop'],
    ['beyond the bounds', ['x'.repeat(101), '\n\ndata: 1\n\n'], undefined, 'open 100,read,stop'],
  ])('%s', async (_, parts, event, expected) => {
    const { reader, told } = setUp(parts.map(encode));
    expect(await reader.firstEvent()).toEqual(event);
    expect(told.join()).toBe(expected);
  });

  test('is found in what was read before', async () => {
    const { reader } = setUp(['data: ', '1\n\nx'].map(encode));
    await reader.text();
    expect(await reader.firstEvent()).toEqual(first);
    expect(await reader.firstEvent()).toEqual(first);
  });
});

test('the text is joined once, not for each part', async () => {
  const { reader } = setUp(
    Array.from({ length: 1_000 }, () => encode('x')),
    'end',
    1_000,
  );
  const join = vi.spyOn(Array.prototype, 'join');
  await reader.firstEvent();
  await reader.text();
  const joins = join.mock.calls.length;
  join.mockRestore();
  expect(joins).toBeLessThan(10);
});

test('the event loop gets a turn after 127 parts that are there already, and after each 128 more', async () => {
  const parts = Array.from({ length: 400 }, () => encode('x'));
  const { reader, told } = setUp(parts, 'end', 1_000);
  const read = reader.text();
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await nextTurn();
    counts.push(told.filter((one) => one === 'read').length);
  }
  expect(counts).toEqual([127, 255, 383, 401]);
  expect(await read).toBe('x'.repeat(400));
});
