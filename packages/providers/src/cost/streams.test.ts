import type { ServerEvent } from '@ebb/core';
import type { ResponseOutcome } from '@ebb/core/internal';
import { describe, expect, test } from 'vitest';
import { EventReader, LineReader, MessageReader, PassedBody, PassedResponse } from './streams.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const E_ACUTE = bytes('é');

describe('the beginning of a body that passes', () => {
  /** Its text, if that is known after these parts. */
  async function textAfter(longest: number, ...parts: (Uint8Array | string)[]): Promise<string | undefined> {
    const body = new PassedBody(longest);
    for (const part of parts) body.part(part);
    return Promise.race([body.text, Promise.resolve().then(() => undefined)]);
  }

  test.each<[story: string, longest: number, parts: (Uint8Array | string)[], text: string | undefined]>([
    ['is not known either when it is as long as may be', 4, ['ab', 'cd'], undefined],
    ['is cut when it is longer', 4, ['ab', 'cde'], 'abcd'],
    [
      'has characters that are cut between parts',
      3,
      [E_ACUTE.subarray(0, 1), E_ACUTE.subarray(1), 'ab'],
      'éa',
    ],
  ])('%s', async (_, longest, parts, text) => {
    expect(await textAfter(longest, ...parts)).toBe(text);
  });

  test('is all of it at its end', async () => {
    const body = new PassedBody(4);
    for (const part of ['ab', bytes('cd')]) body.part(part);
    body.end();
    body.part('e');
    body.end();
    expect(await body.text).toBe('abcd');
  });
});

describe('a response whose body has passed', () => {
  const outcome: ResponseOutcome = { type: 'response', status: 202, header: (name) => `the ${name}` };
  const request = { method: 'GET', url: 'http://a.test/', replayable: true, header: () => undefined };
  const passed = (body: string, event?: ServerEvent) =>
    new PassedResponse(outcome, { request, attempt: 3 }, Promise.resolve(body), event);

  test('has the fields of the response, and its body', async () => {
    const response = passed('{"a":1}');
    const { status, attempt } = response;
    expect([status, attempt, response.request, response.header('age')]).toEqual([202, 3, request, 'the age']);
    expect([await response.text(), await response.json(), await response.firstEvent()]).toEqual([
      '{"a":1}',
      { a: 1 },
      undefined,
    ]);
  });

  test('has its first event, or the one that it was given', async () => {
    const event = { event: 'a', data: '1' };
    expect(await passed('data: 2\n\n').firstEvent()).toEqual({ event: 'message', data: '2' });
    expect(await passed('1', event).firstEvent()).toBe(event);
    expect(await passed('no JSON').json()).toBeUndefined();
  });
});

/** What a reader finds in these parts. */
function read(
  Reader: typeof EventReader | typeof LineReader | typeof MessageReader,
  longest: number,
  parts: readonly (Uint8Array | string)[],
): ServerEvent[] {
  const found: ServerEvent[] = [];
  const reader = new Reader(longest, (event) => void found.push(event));
  for (const part of parts) reader.part(part);
  if (reader instanceof LineReader) reader.end();
  return found;
}

describe('lines of JSON', () => {
  test.each<[story: string, parts: (Uint8Array | string)[], data: string[]]>([
    ['one in each line, and one at the end', ['1\n2\r\n3\r4'], ['1', '2', '3', '4']],
    ['without blanks around it', ['  1 \n\t2\t'], ['1', '2']],
    ['but none in a line without any', ['1\n\n  \n2\n'], ['1', '2']],
    ['one that is as long as may be', ['123', '456\n'], ['123456']],
    ['no longer one', ['1\n123', '4567\n2'], ['1', '2']],
    ['with characters that are cut between parts', [E_ACUTE.subarray(0, 1), E_ACUTE.subarray(1)], ['é']],
    ['or between texts', ['\ud83d', '\ude00'], ['😀']],
  ])('%s', (_, parts, data) => {
    expect(read(LineReader, 6, parts)).toEqual(data.map((one) => ({ event: 'message', data: one })));
  });
});

describe('events', () => {
  test.each<[story: string, parts: (Uint8Array | string)[], data: string[]]>([
    ['one that is as long as may be', ['data: 12345678\n\n'], ['12345678']],
    ['no longer one', ['data: 123456789\n\ndata: 1\n\n'], ['1']],
    ['one whose lines together are as long', ['data: 1\n', 'data: 2\n\n'], ['1\n2']],
    ['not one whose lines are longer', ['data: 1\n', 'data: 23\n\ndata: 4\n\n'], ['4']],
    ['a line feed after a return, with nothing between', ['data: 1\r', '', '\ndata: 2\n\n'], ['1\n2']],
    [
      'characters that are cut between parts',
      ['data: ', E_ACUTE.subarray(0, 1), E_ACUTE.subarray(1), '\n\n'],
      ['é'],
    ],
  ])('%s', (_, parts, data) => {
    expect(read(EventReader, 14, parts).map((event) => event.data)).toEqual(data);
  });
});

describe('messages of AWS', () => {
  /** One with so many bytes of headers, which may say that they are more. */
  function message(data: string, headers = 0, said = headers): Uint8Array {
    const length = 16 + headers + data.length;
    const all = new Uint8Array(length);
    new DataView(all.buffer).setUint32(0, length);
    new DataView(all.buffer).setUint32(4, said);
    all.set(bytes(data), 12 + headers);
    return all;
  }

  test.each<[story: string, parts: Uint8Array[], data: string[]]>([
    ['one without data', [message(''), message('1')], ['', '1']],
    ['one with headers', [message('12', 3)], ['12']],
    ['one that is as long as may be', [message('1234567890'), message('1')], ['1234567890', '1']],
    ['no longer one', [message('12345678901'), message('1')], ['1']],
    ['nothing after headers that take all', [message('12', 0, 2), message('1')], ['', '1']],
    ['nothing after headers that take a byte more', [message('12', 0, 3), message('1')], []],
    ['nothing after a message of its lengths alone', [Uint8Array.of(0, 0, 0, 12), message('1')], []],
  ])('%s', (_, parts, data) => {
    const events = data.map((one) => ({ event: 'message', data: one }));
    expect(read(MessageReader, 26, parts)).toEqual(events);
    const all = Buffer.concat(parts);
    for (const length of [1, 2, 3, 4, 5, 7, 16, all.length]) {
      const cut = Array.from({ length: all.length }, (_, at) => all.subarray(at * length, (at + 1) * length));
      expect(read(MessageReader, 26, cut), `parts of ${length} bytes`).toEqual(events);
    }
  });
});
