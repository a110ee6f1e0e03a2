import { describe, expect, test } from 'vitest';
import { isByteStream, type PullSource, streamOver } from './streams.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text).slice();

function setUp(parts: readonly Uint8Array[], isOfBytes: boolean, more: Partial<PullSource> = {}) {
  let pulled = 0;
  const reasons: unknown[] = [];
  const stream = streamOver(
    {
      pull: async () => {
        const part = parts[pulled];
        pulled += 1;
        return part;
      },
      cancel: (reason) => void reasons.push(reason),
      ...more,
    },
    isOfBytes,
  );
  return { stream, reasons, pulled: () => pulled };
}

test('a stream of bytes can be read into a buffer of its reader', () => {
  const locked = setUp([], true).stream;
  locked.getReader();
  expect([setUp([], true).stream, setUp([], false).stream, locked].map(isByteStream)).toEqual([
    true,
    false,
    false,
  ]);
  // It is not left locked.
  const { stream } = setUp([], true);
  isByteStream(stream);
  expect(stream.locked).toBe(false);
});

describe.each([true, false])('a stream over a source, of bytes: %s', (isOfBytes) => {
  test('reads nothing before it is asked, and then all', async () => {
    const { stream, pulled } = setUp([bytes('ab'), bytes('cd')], isOfBytes);
    await new Promise(setImmediate);
    expect(pulled()).toBe(0);
    expect(await new Response(stream).text()).toBe('abcd');
    expect(pulled()).toBe(3);
  });

  test('fails when its source has failed, also if no one reads', async () => {
    const error = new Error('broke');
    const { stream } = setUp([], isOfBytes, { closed: Promise.reject(error) });
    await expect(stream.getReader().closed).rejects.toBe(error);
  });

  test('passes a part on as it is, unless bytes share their buffer with others', async () => {
    const pool = bytes('abcd');
    const part = pool.subarray(0, 2);
    const { stream } = setUp([part], isOfBytes);
    const { value } = await stream.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('ab');
    expect(value?.buffer === pool.buffer).toBe(!isOfBytes);
    // The pool was not transferred.
    expect(pool.byteLength).toBe(4);
  });
});

test('a stream of bytes transfers a part with a buffer of its own', async () => {
  const part = bytes('ab');
  const { stream } = setUp([part], true);
  const { value } = await stream.getReader().read();
  expect([new TextDecoder().decode(value), part.byteLength]).toEqual(['ab', 0]);
});

test('a reader with a buffer of its own gets it back at the end', async () => {
  const reader = setUp([bytes('ab')], true).stream.getReader({ mode: 'byob' });
  const first = await reader.read(new Uint8Array(8));
  expect([first.done, new TextDecoder().decode(first.value)]).toEqual([false, 'ab']);
  const last = await reader.read(new Uint8Array(8));
  expect([last.done, last.value?.byteLength]).toEqual([true, 0]);
});
