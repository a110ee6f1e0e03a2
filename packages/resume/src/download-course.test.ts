import type { ReadHeader } from '@ebb/core/adapter';
import { describe, expect, test } from 'vitest';
import { Download } from './download.ts';

const inHeaders =
  (headers: Readonly<Record<string, string | undefined>>): ReadHeader =>
  (name) =>
    headers[name];
const WHOLE = { etag: '"a"', 'content-length': '10' };
const RANGE = { etag: '"a"', 'content-range': 'bytes 2-9/20' };
const bytes = (length: number): Uint8Array => new Uint8Array(length);

/** All that is known of a download. */
const stateOf = ({ receivedBytes, isDone, mayEnd, lost, headers }: Download) => ({
  ...{ receivedBytes, isDone, mayEnd, lost, range: headers.range },
});

test('a download knows its rest, its end, and that it is too long', () => {
  const download = new Download(200, inHeaders(WHOLE));
  expect(stateOf(download)).toEqual({
    ...{ receivedBytes: 0, isDone: false, mayEnd: false, lost: undefined, range: 'bytes=0-9' },
  });
  const part = bytes(4);
  expect(download.take(part)?.[0]).toBe(part);
  expect(stateOf(download)).toEqual({
    ...{ receivedBytes: 4, isDone: false, mayEnd: false, lost: undefined, range: 'bytes=4-9' },
  });
  expect(download.take(bytes(6))).toHaveLength(1);
  expect(stateOf(download)).toMatchObject({ isDone: true, mayEnd: true, lost: undefined });
  // It is passed on, since nothing was asked for yet.
  expect(download.take(bytes(1))).toHaveLength(1);
  expect(stateOf(download)).toMatchObject({ isDone: false, mayEnd: true, lost: 'longer than its length' });
  expect(download.left()).toEqual([]);
});

test('a rest that is too long is not passed on', () => {
  const download = new Download(206, inHeaders(RANGE));
  expect(download.headers).toEqual({ range: 'bytes=2-9', 'if-match': '"a"', 'if-range': undefined });
  download.take(bytes(4));
  download.begin();
  expect(download.take(bytes(4))).toHaveLength(1);
  expect(stateOf(download)).toMatchObject({ isDone: true, lost: undefined });
  expect(download.take(bytes(1))).toBeUndefined();
});

test.each<[why: string, headers: Record<string, string>, given?: string]>([
  ['no strong ETag', { 'content-length': '10' }],
  ['no length', { etag: '"a"' }],
  ['another reason', WHOLE, 'another reason'],
])(
  'one that cannot be resumed passes on whatever comes, and ends with its response: %s',
  (why, headers, given) => {
    const download = new Download(200, inHeaders(headers), given);
    for (let part = 0; part < 3; part += 1) expect(download.take(bytes(100))).toHaveLength(1);
    expect(stateOf(download)).toMatchObject({ receivedBytes: 300, isDone: false, mayEnd: true, lost: why });
  },
);

describe('which response is the rest', () => {
  const rest = (range: string | undefined, more: Record<string, string> = {}) => ({
    ...{ etag: '"a"', 'content-range': range },
    ...more,
  });

  test.each<[story: string, status: number, headers: Record<string, string | undefined>, why?: string]>([
    ['what was asked for', 206, rest('bytes 6-9/20')],
    ['of a length that is not said', 206, rest('bytes 6-9/*')],
    ['its length in a header', 206, rest('bytes 6-9/20', { 'content-length': '4' })],
    ['all of it', 200, { etag: '"a"', 'content-length': '10' }, 'status 200'],
    ['a precondition that failed', 412, {}, 'status 412'],
    ['no range', 206, rest(undefined), 'another range'],
    ['a later range', 206, rest('bytes 7-9/20'), 'another range'],
    ['a shorter one', 206, rest('bytes 6-8/20'), 'another range'],
    ['a longer one', 206, rest('bytes 6-10/20'), 'another range'],
    ['a resource that has grown', 206, rest('bytes 6-9/21'), 'another length'],
    ['one that has shrunk', 206, rest('bytes 6-9/19'), 'another length'],
    ['one that has changed', 206, rest('bytes 6-9/20', { etag: '"b"' }), 'another ETag'],
    [
      'one that is coded differently',
      206,
      rest('bytes 6-9/20', { 'content-encoding': 'gzip' }),
      'another content coding',
    ],
  ])('%s', (_, status, headers, why) => {
    const download = new Download(206, inHeaders(RANGE));
    download.take(bytes(4));
    expect(download.mismatch(status, inHeaders(headers))).toBe(why);
  });

  test('of a download whose length is not said, one of any length', () => {
    const download = new Download(206, inHeaders({ ...RANGE, 'content-range': 'bytes 2-9/*' }));
    for (const whole of ['10', '99', '*'])
      expect(download.mismatch(206, inHeaders(rest(`bytes 2-9/${whole}`)))).toBeUndefined();
  });

  test('of a coded one, one of the same coding', () => {
    const coded = { ...RANGE, 'content-encoding': 'gzip' };
    expect(new Download(206, inHeaders(coded)).mismatch(206, inHeaders(coded))).toBeUndefined();
  });
});
