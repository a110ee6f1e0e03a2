import { expect, test } from 'vitest';
import { downloadIn } from './download.ts';

const inHeaders =
  (headers: Readonly<Record<string, string>>) =>
  (name: string): string | undefined =>
    headers[name];

test.each<[status: number, range: string | undefined, length: string | undefined, bytes: unknown]>([
  [200, undefined, '10', { first: 0, last: 9, whole: 10 }],
  [200, undefined, '1', { first: 0, last: 0, whole: 1 }],
  [200, undefined, '0', 'no length'],
  [200, undefined, '10x', 'no length'],
  [200, undefined, 'x10', 'no length'],
  [200, undefined, '1'.repeat(16), 'no length'],
  [203, 'bytes 2-9/10', '8', 'no length'],
  [200, undefined, undefined, 'no length'],
  [200, 'bytes 2-9/10', undefined, 'no length'],
  [206, 'bytes 2-9/10', '8', { first: 2, last: 9, whole: 10 }],
  [206, 'bytes 2-9/10', undefined, { first: 2, last: 9, whole: 10 }],
  [206, 'bytes 9-9/10', '1', { first: 9, last: 9, whole: 10 }],
  [206, 'bytes 2-9/*', '8', { first: 2, last: 9, whole: Number.NaN }],
  [206, 'Bytes 10-19/200', '10', { first: 10, last: 19, whole: 200 }],
  [206, 'x bytes 2-9/10', '8', 'no length'],
  [206, 'bytes 2-9/10 x', '8', 'no length'],
  // Each contradicts itself in one way.
  [206, 'bytes 2-9/10', '9', 'no length'],
  [206, 'bytes 2-9/10', '7', 'no length'],
  [206, 'bytes 2-9/9', undefined, 'no length'],
  [206, 'bytes 2-10/10', '9', 'no length'],
  [206, 'bytes 9-2/10', undefined, 'no length'],
  [206, undefined, '10', 'no length'],
])('a %i with the range %s and the length %s has the bytes %j', (status, range, length, bytes) => {
  const headers = {
    etag: '"a"',
    ...(range && { 'content-range': range }),
    ...(length && { 'content-length': length }),
  };
  expect(downloadIn(status, inHeaders(headers))).toEqual(bytes);
});

test.each([
  [{ 'content-length': '10' }, 'no strong ETag'],
  [{ 'content-length': '10', etag: 'W/"a"' }, 'no strong ETag'],
  [{ 'content-length': '10', etag: '"a"b' }, 'no strong ETag'],
  [{ 'content-length': '10', etag: '"a' }, 'no strong ETag'],
  [{ 'content-length': '10', etag: '"a"', 'accept-ranges': ' None' }, 'Accept-Ranges: none'],
  [{ etag: '""', 'accept-ranges': 'bytes' }, 'no length'],
])('with %j it cannot be resumed: %s', (headers, why) => {
  expect(downloadIn(200, inHeaders(headers))).toBe(why);
});
