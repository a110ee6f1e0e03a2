import { LONGEST_FIELD, LONGEST_ID } from '@ebb/core/internal';
import { describe, expect, test } from 'vitest';
import { downloadIn } from './download.ts';
import { EventStream } from './event-stream.ts';

const taken = (line: string): EventStream => {
  const stream = new EventStream(undefined, { maxEventBytes: 1e6 });
  stream.take(new TextEncoder().encode(`${line}\ndata: 1\n\n`));
  return stream;
};

describe('a field that is longer than its ceiling is ignored, and not cut', () => {
  test.each<[name: string, longest: number, read: (length: number) => unknown]>([
    ['an id of an event', LONGEST_ID, (length) => taken(`id: ${'i'.repeat(length)}`).lastId],
    [
      'a retry of an event',
      LONGEST_FIELD,
      (length) => taken(`retry: ${'5'.padStart(length - 7, '0')}`).retryMs,
    ],
  ])('%s', (_, longest, read) => {
    expect(read(longest)).toBeDefined();
    expect(read(longest + 1)).toBeUndefined();
  });
});

test('an ETag is taken whole', () => {
  const etag = `"${'e'.repeat(20_000)}"`;
  expect(downloadIn(200, (name) => ({ etag, 'content-length': '5' })[name])).toMatchObject({ whole: 5 });
});
