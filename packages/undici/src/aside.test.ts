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
    expect(wire.attempts).toHaveLength(2);
    expect(wire.attempt(1).connection.aborted).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['is aborted if its Content-Length is too large', { 'content-length': '65537' }, 0, true],
    ['is read if its Content-Length is at the limit', { 'content-length': '65536' }, 0, false],
    ['is aborted when more bytes than the limit arrive', {}, 65_537, true],
    ['is read if as many bytes as the limit arrive', {}, 65_536, false],
  ])('%s', async (_, headers, bytes, aborted) => {
    const { wire, spy, clock } = begin();
    wire
      .attempt(1)
      .start()
      .head(503, headers as Record<string, string>);
    if (bytes > 0) wire.attempt(1).data('x'.repeat(bytes));
    expect(wire.attempt(1).connection.aborted).toBe(aborted);
    if (!aborted) wire.attempt(1).end();
    await passBackoff(clock);
    expect(wire.attempts).toHaveLength(2);
    expect(clock.pending).toBe(0);
    expect(spy.calls).toEqual(['start']);
  });

  test('to a HEAD has no body, despite its Content-Length', async () => {
    const { wire, clock } = begin({}, { method: 'HEAD' });
    wire.attempt(1).start().head(503, { 'content-length': '99999999' }).end();
    expect(wire.attempt(1).connection.aborted).toBe(false);
    await passBackoff(clock);
    expect(wire.attempts).toHaveLength(2);
  });

  test('that never ends is aborted after a second', async () => {
    const { wire, clock } = begin();
    wire.attempt(1).start().head(503).data('and so on');
    await passBackoff(clock, 999);
    expect(wire.attempt(1).connection.aborted).toBe(false);
    await passBackoff(clock, 1);
    expect(wire.attempt(1).connection.aborted).toBe(true);
    expect(wire.attempts).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  test('that breaks does not affect the retry', async () => {
    const { wire, spy, clock } = begin();
    wire.attempt(1).start().head(503).fail(reset());
    await passBackoff(clock);
    wire.attempt(2).start().head(200).end();
    expect(spy.calls).toEqual(['start', 'head 200', 'end {}']);
  });
});
