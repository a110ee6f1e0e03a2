import { describe, expect, test } from 'vitest';
import { begin, passBackoff, reset } from '../test/relay.ts';

describe('a discarded response', () => {
  test('is read to its end before the next attempt is sent', async () => {
    const { wire, clock } = begin();
    wire.attempt(1).start().head(503).data('no');
    await passBackoff(clock);
    expect(wire.attempts).toHaveLength(1);
    wire.attempt(1).data('no').end();
    await passBackoff(clock, 0);
    expect([wire.attempts.length, wire.attempt(1).connection.aborted, clock.pending]).toEqual([2, false, 0]);
  });

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

  test('that never ends is aborted after a second', async () => {
    const { wire, clock } = begin();
    const { connection } = wire.attempt(1).start().head(503).data('and so on');
    await passBackoff(clock, 999);
    expect(connection.aborted).toBe(false);
    await passBackoff(clock, 1);
    expect([connection.aborted, wire.attempts.length, clock.pending]).toEqual([true, 2, 0]);
  });

  test('that breaks does not affect the retry', async () => {
    const { wire, spy, clock } = begin();
    wire.attempt(1).start().head(503).fail(reset());
    await passBackoff(clock);
    wire.attempt(2).start().head(200).end();
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });
});
