import { describe, expect, test } from 'vitest';
import { begin, passBackoff } from '../test/relay.ts';

describe('a discarded response', () => {
  test.each<[what: string, method: string, length: string | undefined, bytes: number, isAborted: boolean]>([
    ['is aborted if its Content-Length is too large', 'GET', '65537', 0, true],
    ['is read if its Content-Length is at the limit', 'GET', '65536', 0, false],
    ['is aborted when more bytes than the limit arrive', 'GET', undefined, 65_537, true],
    ['is read if as many bytes as the limit arrive', 'GET', undefined, 65_536, false],
    ['to a HEAD has no body, despite its Content-Length', 'HEAD', '99999999', 0, false],
  ])('%s', async (_, method, length, bytes, isAborted) => {
    const { wire, spy, clock } = begin({}, { method });
    const first = wire.attempt(1).start();
    first.head(503, length === undefined ? {} : { 'content-length': length });
    if (bytes > 0) first.data('x'.repeat(bytes));
    expect(first.connection.aborted).toBe(isAborted);
    if (!isAborted) first.end();
    await passBackoff(clock);
    expect([wire.attempts.length, clock.pending, spy.calls]).toEqual([2, 0, ['start']]);
  });
});
