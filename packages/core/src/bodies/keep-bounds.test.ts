import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { MOST_READ_AHEAD_BYTES } from '../http/headers.ts';
import { virtualClock } from '../testing.ts';
import { cancelBody, setAside } from './keep.ts';

const clock = virtualClock({ startMs: 0 });

/** True if the body was read to its end. */
async function readToEnd(body: unknown, contentLength = Number.NaN, signal?: AbortSignal): Promise<boolean> {
  const aside = setAside(body, { clock, longestMs: 50, contentLength, signal });
  await aside?.released;
  return aside?.isWhole === true;
}

/** Web and Node streams that send `bytes` bytes, and then end or not. */
const kinds = {
  web: (bytes: number, isEnding: boolean) => {
    const state = { isBrokenOff: false };
    const body = new ReadableStream({
      start(controller) {
        if (bytes > 0) controller.enqueue(new Uint8Array(bytes));
        if (isEnding) controller.close();
      },
      cancel() {
        state.isBrokenOff = true;
      },
    });
    return { body, isBrokenOff: () => state.isBrokenOff };
  },
  Node: (bytes: number, isEnding: boolean) => {
    const body = new PassThrough();
    if (bytes > 0) body.write(Buffer.alloc(bytes));
    if (isEnding) body.end();
    return { body, isBrokenOff: () => body.destroyed && !body.readableEnded };
  },
};

const isWeb = process.env.EBB_PLATFORM === 'web';

test.runIf(isWeb)('browsers close a stream of Node unread', async () => {
  const { body, isBrokenOff } = kinds.Node(1, true);
  expect(await readToEnd(body)).toBe(false);
  expect(isBrokenOff()).toBe(true);
});

describe.each(Object.entries(kinds).filter(([kind]) => kind !== 'Node' || !isWeb))(
  'a %s stream',
  (_, make) => {
    test.each([0, 1, MOST_READ_AHEAD_BYTES])('of %i bytes is read to its end', async (bytes) => {
      const { body, isBrokenOff } = make(bytes, true);
      expect(await readToEnd(body)).toBe(true);
      expect(isBrokenOff()).toBe(false);
      expect(clock.pending).toBe(0);
    });

    test('of more bytes is cancelled', async () => {
      const { body, isBrokenOff } = make(MOST_READ_AHEAD_BYTES + 1, true);
      expect(await readToEnd(body)).toBe(false);
      // A closed web stream cannot be cancelled.
      if (make === kinds.Node) expect(body).toHaveProperty('destroyed', true);
      else expect(isBrokenOff()).toBe(false);
      expect(clock.pending).toBe(0);
    });

    test('with a longer Content-Length is cancelled unread', async () => {
      const { body, isBrokenOff } = make(1, false);
      expect(await readToEnd(body, MOST_READ_AHEAD_BYTES + 1)).toBe(false);
      expect(isBrokenOff()).toBe(true);
    });

    test('that does not end is cancelled after its time', async () => {
      const { body, isBrokenOff } = make(1, false);
      const read = readToEnd(body);
      await clock.advance(49);
      expect(isBrokenOff()).toBe(false);
      await clock.advance(1);
      expect(await read).toBe(false);
      expect(isBrokenOff()).toBe(true);
      expect(clock.pending).toBe(0);
    });

    test('is cancelled at once if no one wants it', () => {
      const { body, isBrokenOff } = make(1, false);
      cancelBody(body);
      expect(isBrokenOff()).toBe(true);
    });

    test('is cancelled by an abort, before and during the reading', async () => {
      const controller = new AbortController();
      const first = make(1, false);
      const read = readToEnd(first.body, undefined, controller.signal);
      controller.abort();
      expect(await read).toBe(false);
      const second = make(1, false);
      expect(await readToEnd(second.body, undefined, controller.signal)).toBe(false);
      expect([first.isBrokenOff(), second.isBrokenOff()]).toEqual([true, true]);
    });
  },
);

const broke = new Error('broke');
const throws = throwing(broke);

test.each<[string, () => unknown]>([
  ['a web stream that breaks', () => new ReadableStream({ start: (stream) => stream.error(broke) })],
  ['a Node stream that breaks', () => Readable.from([1]).destroy(broke)],
  [
    'a Node stream that breaks later',
    () => {
      const stream = new PassThrough();
      setImmediate(() => stream.destroy(broke));
      return stream;
    },
  ],
  [
    'a stream that is read by another',
    () => {
      const stream = new ReadableStream();
      stream.getReader();
      return stream;
    },
  ],
  ['a stream whose getReader throws', () => ({ getReader: throws })],
])('%s is not read whole, and is no error', async (_, make) => {
  expect(await readToEnd(make())).toBe(false);
  expect(() => cancelBody(make())).not.toThrow();
  expect(clock.pending).toBe(0);
});

test.each([null, undefined, 'text', 5, {}, new Blob(['text'])])('%o is not a stream', (body) => {
  expect(setAside(body, { clock, longestMs: 50, contentLength: 0 })).toBe(undefined);
});
