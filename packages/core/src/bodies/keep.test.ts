import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { MOST_READ_AHEAD_BYTES } from '../http/headers.ts';
import { virtualClock } from '../testing.ts';
import { type AsideBounds, keptStream, reasonOfLoss, setAside } from './keep.ts';

const clock = virtualClock({ startMs: 0 });
const bounds: AsideBounds = {
  clock,
  longestMs: 50,
  contentLength: Number.NaN,
};

async function* sending(parts: readonly string[], error?: Error): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
  if (error !== undefined) throw error;
}

const kinds = {
  web: (parts: readonly string[], error?: Error) => Readable.toWeb(Readable.from(sending(parts, error))),
  Node: (parts: readonly string[], error?: Error) => Readable.from(sending(parts, error)),
};

describe.each(Object.entries(kinds))('a %s stream that was set aside', (kind, make) => {
  const read = (body: unknown): Promise<string> => {
    expect(body instanceof ReadableStream ? 'web' : 'Node').toBe(kind);
    return text(body as Readable);
  };

  test('is given back whole, as a stream of its kind', async () => {
    const body = make(['come ', 'back']);
    const aside = setAside(body, bounds);
    await aside?.released;
    expect(aside).toMatchObject({ isOver: true, isWhole: true });
    expect(reasonOfLoss(aside as never)).toBe(undefined);
    expect(await read(keptStream(body, aside as never))).toBe('come back');
    expect(clock.pending).toBe(0);
  });

  test('breaks again where it broke', async () => {
    const error = new Error('broke');
    const body = make(['come '], error);
    const aside = setAside(body, bounds);
    await aside?.released;
    expect([aside?.isWhole, aside?.parts?.length]).toEqual([false, 1]);
    await expect(read(keptStream(body, aside as never))).rejects.toBe(error);
  });

  test('that is longer than 64 KiB fails to be read, and says why', async () => {
    const body = make(['x'.repeat(MOST_READ_AHEAD_BYTES), 'x']);
    const aside = setAside(body, bounds);
    await aside?.released;
    expect(aside).toMatchObject({ isWhole: false, parts: [] });
    await expect(read(keptStream(body, aside as never))).rejects.toThrow(
      'longer than 64 KiB, or did not end',
    );
  });
});
