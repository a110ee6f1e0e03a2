import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { unhandledIn } from '../../test/unhandled.ts';
import { isByteStream, type StreamObserver, watchedStream } from './streams.ts';

const KINDS = ['default', 'bytes'] as const;

interface Options {
  readonly kind?: (typeof KINDS)[number] | undefined;
  /** The source closes with its last part, and not when it is asked for one more. */
  readonly isPrompt?: boolean;
  /** The source has nothing to read for now. */
  readonly isHeld?: boolean;
  readonly length?: number;
  readonly taken?: () => void;
  /** The value that the watched stream reads in place of its source. */
  readonly other?: unknown;
}

/** A watched stream over a source that has these parts. */
function setUp(
  parts: readonly string[],
  { kind, isPrompt, isHeld, length, taken, ...options }: Options = {},
) {
  const events: string[] = [];
  const gone = Promise.withResolvers<void>();
  let left = [...parts];
  let control: ReadableStreamDefaultController | undefined;
  const underlying = {
    start(own: ReadableStreamDefaultController) {
      control = own;
    },
    pull(own: ReadableStreamDefaultController) {
      if (isHeld) return;
      const [part, ...rest] = left;
      left = rest;
      if (part !== undefined) own.enqueue(new TextEncoder().encode(part));
      if (part === undefined || (isPrompt && rest.length === 0)) own.close();
      // The buffer of its own reader, which settles a read only when it comes back.
      if ('byobRequest' in own && part === undefined)
        (own.byobRequest as ReadableStreamBYOBRequest | null)?.respond(0);
    },
    cancel(reason: unknown) {
      events.push(`source cancelled: ${reason}`);
      return gone.promise;
    },
  };
  const source =
    kind === 'bytes'
      ? new ReadableStream({ ...underlying, type: 'bytes' } as UnderlyingByteSource)
      : new ReadableStream(underlying, { highWaterMark: 0 });
  const observer: StreamObserver = {
    taken() {
      events.push('taken');
      taken?.();
    },
    ended: () => void events.push('ended'),
    cancelled(whenGone) {
      events.push('cancelled');
      whenGone.then(() => events.push('gone'));
    },
  };
  const of = 'other' in options ? options.other : source;
  const watched = watchedStream(source, () => of, length, observer);
  return {
    ...watched,
    source,
    watched,
    events,
    gone,
    left: () => left,
    control: () => control as ReadableStreamDefaultController,
  };
}

const textOf = (value: unknown): string => new TextDecoder().decode(value as Uint8Array);

describe.each(KINDS)('a watched stream over one of kind %s', (kind) => {
  test('is of its kind', () => {
    expect(isByteStream(setUp([], { kind }).stream)).toBe(kind === 'bytes');
  });

  test('tells of each read, and of the end', async () => {
    const { stream, events, source } = setUp(['ab', 'cd'], { kind });
    const reader = stream.getReader();
    expect([source.locked, events]).toEqual([true, []]);
    expect(textOf((await reader.read()).value)).toBe('ab');
    await turn();
    expect(events).toEqual(['taken']);
    expect(textOf((await reader.read()).value)).toBe('cd');
    await turn();
    expect(events).toEqual(['taken', 'taken']);
    expect((await reader.read()).done).toBe(true);
    expect(events.slice(0, 4)).toEqual(['taken', 'taken', 'taken', 'ended']);
    await reader.closed;
  });

  test('has ended with the last part of a source that closes with it', async () => {
    const { stream, events } = setUp(['ab'], { kind, isPrompt: true });
    const reader = stream.getReader();
    expect(textOf((await reader.read()).value)).toBe('ab');
    await reader.closed;
    expect(events).toEqual(['taken', 'ended']);
    expect((await reader.read()).done).toBe(true);
    expect(events).toEqual(['taken', 'ended']);
  });

  test('ends for a reader that waits for the end without a read', async () => {
    const { stream, events, control } = setUp([], { kind });
    const reader = stream.getReader();
    control().close();
    await reader.closed;
    expect(events).toEqual(['ended']);
    expect((await reader.read()).done).toBe(true);
    expect(events).toEqual(['ended']);
  });

  test('fails for a reader that waits for the end without a read', async () => {
    const { stream, events, control } = setUp([], { kind });
    const reader = stream.getReader();
    const error = new Error('broke');
    control().error(error);
    await expect(reader.closed).rejects.toBe(error);
    expect(events).toEqual(['ended']);
  });

  test('fails with the error of its observer, and has ended', async () => {
    const error = new Error('aborted');
    const { stream, events } = setUp(['ab'], {
      kind,
      taken: throwing(error),
    });
    const reader = stream.getReader();
    reader.closed.catch(() => undefined);
    await expect(reader.read()).rejects.toBe(error);
    expect(events).toEqual(['taken', 'ended']);
  });

  test.each([
    ['before a read', false],
    ['after a read', true],
  ])('that is cancelled %s cancels its source, and tells when that is done', async (_, isRead) => {
    const { stream, events, gone } = setUp(['ab', 'cd'], { kind });
    if (isRead) {
      const reader = stream.getReader();
      await reader.read();
      reader.releaseLock();
    }
    let isCancelled = false;
    const cancelling = stream.cancel('enough').then(() => {
      isCancelled = true;
    });
    await turn();
    const before = isRead ? ['taken'] : [];
    expect([events, isCancelled]).toEqual([[...before, 'source cancelled: enough', 'cancelled'], false]);
    gone.resolve();
    await cancelling;
    await turn();
    expect(events).toEqual([...before, 'source cancelled: enough', 'cancelled', 'gone']);
  });

  test('that is cancelled while it is read has not ended as well', async () => {
    const { stream, events, gone } = setUp(['ab'], { kind, isHeld: true });
    gone.resolve();
    const reader = stream.getReader();
    // The stream asks for nothing before it has started.
    await turn();
    const reading = reader.read();
    await reader.cancel('enough');
    expect((await reading).done).toBe(true);
    await turn();
    expect(events).toEqual(['taken', 'source cancelled: enough', 'cancelled', 'gone']);
  });

  test.each<[how: string, read: (stream: ReadableStream) => Promise<unknown>]>([
    ['by a reader', (stream) => stream.getReader().read()],
    ['by a reader that waits for the end', (stream) => stream.getReader().closed],
    ['without a reader of ours', (stream) => stream.pipeTo(new WritableStream())],
  ])('cannot be read %s if the source has a reader already', async (_, read) => {
    const { stream, source, events } = setUp(['ab'], { kind });
    source.getReader();
    await expect(read(stream)).rejects.toThrow(TypeError);
    expect(events).toEqual([]);
  });
});

test('a watched stream of bytes can be read into a buffer of its reader, which gets it back at the end', async () => {
  const { stream } = setUp(['ab'], { kind: 'bytes' });
  const reader = stream.getReader({ mode: 'byob' });
  const first = await reader.read(new Uint8Array(8));
  expect([first.done, textOf(first.value)]).toEqual([false, 'ab']);
  const last = await reader.read(new Uint8Array(8));
  expect([last.done, last.value?.byteLength]).toEqual([true, 0]);
});

describe('a reader of a watched stream that was released', () => {
  test('without a read has the source unlocked when that is asked for', async () => {
    const { stream, source, release, lock, events } = setUp(['ab']);
    const reader = stream.getReader();
    release();
    expect(source.locked).toBe(true);
    reader.releaseLock();
    expect(source.locked).toBe(true);
    release();
    release();
    expect(source.locked).toBe(false);
    await turn();
    expect(events).toEqual([]);
    lock();
    expect(source.locked).toBe(true);
    expect(await new Response(stream).text()).toBe('ab');
    expect(events).toEqual(['taken', 'taken', 'ended']);
  });

  test('after a read leaves it locked', async () => {
    const { stream, source, release } = setUp(['ab', 'cd']);
    const reader = stream.getReader();
    await reader.read();
    reader.releaseLock();
    release();
    expect(source.locked).toBe(true);
    expect(textOf((await stream.getReader().read()).value)).toBe('cd');
  });

  test('after a cancel leaves it locked', async () => {
    const { stream, source, release, gone } = setUp(['ab']);
    gone.resolve();
    const reader = stream.getReader();
    await reader.cancel();
    reader.releaseLock();
    release();
    expect(source.locked).toBe(true);
  });
});

test.each<[what: string, other: unknown]>([
  ['nothing', undefined],
  ['no web stream', { pipe: () => undefined }],
])('a cancel of a body that has become %s is told at once', async (_, other) => {
  const { stream, events } = setUp(['ab'], { other });
  await stream.cancel('enough');
  await turn();
  expect(events).toEqual(['cancelled', 'gone']);
});

describe('a source that ends after its watched stream', () => {
  test.each<[story: string, fail: (own: ReturnType<typeof setUp>) => unknown]>([
    [
      'failed because of the observer',
      ({ stream }) =>
        stream
          .getReader()
          .read()
          .catch(() => undefined),
    ],
    [
      'failed because of another reader',
      ({ stream, source, lock }) => {
        const other = source.getReader();
        stream.getReader().closed.catch(() => undefined);
        other.releaseLock();
        lock();
      },
    ],
  ])('has %s does no harm', async (_, fail) => {
    const taken = throwing(new Error('aborted'));
    const own = setUp(['ab'], { taken });
    expect(
      await unhandledIn(async () => {
        await fail(own);
        own.control().close();
      }),
    ).toEqual([]);
  });

  test('has ended does no harm, if it tells of that late, as a polyfill may', async () => {
    const closed = Promise.withResolvers<void>();
    const read = async () => ({ done: true });
    const { stream, events } = setUp([], { other: { getReader: () => ({ closed: closed.promise, read }) } });
    expect(
      await unhandledIn(async () => {
        expect(await new Response(stream).text()).toBe('');
        closed.resolve();
      }),
    ).toEqual([]);
    expect(new Set(events)).toEqual(new Set(['taken', 'ended']));
  });
});

test('`getReader` of a watched stream is a property like that of the class, and takes its options', () => {
  const { stream } = setUp([]);
  const { value, ...kind } = Object.getOwnPropertyDescriptor(stream, 'getReader') ?? {};
  expect([value.name, kind]).toEqual([
    'getReader',
    { configurable: true, enumerable: false, writable: true },
  ]);
  expect(() => stream.getReader({ mode: 'byob' })).toThrow(TypeError);
  expect(stream.locked).toBe(false);
});
