import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { Peek } from '../http/body.ts';
import { virtualClock } from '../testing.ts';
import { peekAt, watchBody, watchWebStream } from './peek.ts';

const caller = { signal: undefined, clock: virtualClock({ startMs: 0 }) };
const open = (data: unknown, most: number) => peekAt({ data, replace: () => undefined }, most, caller);

async function textIn(peek: Peek): Promise<string> {
  let text = '';
  for (let part = await peek.read(); part !== undefined; part = await peek.read())
    text += new TextDecoder().decode(part);
  peek.stop();
  return text;
}

test.each<[kind: string, data: unknown]>([
  ['a text', 'abcdef'],
  ['bytes', new TextEncoder().encode('abcdef')],
  ['a view', new TextEncoder().encode('xabcdefx').subarray(1, 7)],
  ['a buffer', new TextEncoder().encode('abcdef').buffer],
  ['a Blob', new Blob(['abc', 'def'])],
  ['a File', new File(['abcdef'], 'a')],
])('of %s one byte more is seen than is asked for', async (_, data) => {
  const lengths = await Promise.all([0, 4, 5, 6, 99].map((most) => textIn(open(data, most) as Peek)));
  expect(lengths).toEqual(['a', 'abcde', 'abcdef', 'abcdef', 'abcdef']);
});

const locked = new ReadableStream();
locked.getReader();

test.each<[kind: string, data: unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['an empty text', ''],
  ['a document', Object.create({ [Symbol.toStringTag]: 'XMLDocument' })],
  ['a stream that someone reads', locked],
  ['a stream of Node that flows', Readable.from(['a']).on('data', () => undefined)],
])('there is no look at %s', (_, data) => {
  expect(open(data, 5)).toBeUndefined();
});

test('there is none without a body, and that of an adapter is its own', () => {
  const peek: Peek = { read: async () => undefined, stop: () => undefined };
  expect([peekAt(undefined, 5, caller), peekAt(peek, 5, caller)]).toEqual([undefined, peek]);
});

test('a look of an adapter that cannot watch is read to its end, and stopped', async () => {
  const parts = ['ab', 'cd'].map((part) => new TextEncoder().encode(part));
  const told: unknown[] = [];
  const peek: Peek = { read: async () => parts.shift(), stop: () => void told.push('stopped') };
  const part = (given: unknown) => void told.push(new TextDecoder().decode(given as Uint8Array));
  await new Promise<void>((resolve) => watchBody(peek, caller, { part }, resolve));
  expect(told).toEqual(['ab', 'cd', 'stopped']);
});

test('a body that there is not has ended at once', () => {
  const ended = vi.fn();
  watchBody(undefined, caller, { part: () => undefined }, ended);
  expect(ended).toHaveBeenCalledTimes(1);
});

test.each([[{ a: 1 }], [[1]], [5], [true]])('%j is what a client has made of a text', async (value) => {
  const peek = open(value, 5) as Peek;
  expect(peek.parsed).toEqual({ value });
  expect(await textIn(peek)).toBe('');
});

describe('a web stream', () => {
  const LAST = 'the end';

  function setUp(parts: readonly string[], signal?: AbortSignal, abortError?: () => unknown) {
    let cancelled: unknown;
    let pulled = 0;
    let control: ReadableStreamDefaultController | undefined;
    const stream = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          control = controller;
        },
        pull(controller) {
          const part = parts[pulled];
          pulled += 1;
          if (part === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(part));
          // The source closes with this part.
          if (part === LAST) controller.close();
        },
        cancel(reason) {
          cancelled = reason;
        },
      },
      { highWaterMark: 0 },
    );
    const replaced: ReadableStream<Uint8Array>[] = [];
    const replace = (other: unknown): void => void replaced.push(other as never);
    const opened = { data: stream, replace, ...(abortError && { abortError }) };
    const lookAt = () => peekAt(opened, 9, { signal, clock: caller.clock }) as Peek;
    const caught = (): ReadableStream<Uint8Array> => replaced[0] as ReadableStream<Uint8Array>;
    const close = (): void => control?.close();
    return { opened, lookAt, replaced, caught, close, pulled: () => pulled, cancelled: () => cancelled };
  }

  /** Watches it, and tells what is seen, as texts. */
  function watching(parts: readonly string[], clock = virtualClock({ startMs: 0 })) {
    const own = setUp(parts);
    const told: string[] = [];
    const part = (given: Uint8Array | string) =>
      void told.push(new TextDecoder().decode(given as Uint8Array));
    watchBody(own.opened, { signal: undefined, clock }, { part }, () => void told.push('ended'));
    return { ...own, clock, told };
  }

  test('is replaced by one that begins with what the look has read', async () => {
    const { lookAt, replaced, caught, pulled } = setUp(['ab', 'cd', 'ef']);
    const look = lookAt();
    expect(new TextDecoder().decode(await look.read())).toBe('ab');
    expect(replaced).toEqual([]);
    look.stop();
    look.stop();
    expect([replaced.length, pulled()]).toEqual([1, 1]);
    expect(await new Response(caught()).text()).toBe('abcdef');
  });

  test('is cancelled by its reader, with the reason', async () => {
    const { lookAt, caught, cancelled } = setUp(['ab', 'cd']);
    const look = lookAt();
    await look.read();
    look.stop();
    await caught().cancel('enough');
    expect(cancelled()).toBe('enough');
  });

  test.each<[story: string, abortError: (() => unknown) | undefined, error: unknown]>([
    ['the reason', undefined, 'reason'],
    ['the error of the client', () => 'own', 'own'],
    ['the reason, if the client has none', () => undefined, 'reason'],
  ])('fails after an abort with %s', async (_, abortError, error) => {
    const controller = new AbortController();
    const { lookAt, caught } = setUp(['ab'], controller.signal, abortError);
    const look = lookAt();
    await look.read();
    look.stop();
    controller.abort('reason');
    await expect(caught().getReader().read()).rejects.toBe(error);
  });

  test('is watched part by part as its reader reads it', async () => {
    const { told, caught, pulled } = watching(['ab', 'cd']);
    expect([told, pulled()]).toEqual([[], 0]);
    const reader = caught().getReader();
    await reader.read();
    expect(told).toEqual(['ab']);
    await reader.read();
    expect(told).toEqual(['ab', 'cd']);
    expect((await reader.read()).done).toBe(true);
    expect(told).toEqual(['ab', 'cd', 'ended']);
  });

  test('that is cancelled has ended for its watcher, and is not read ahead', async () => {
    const { told, clock, caught, cancelled } = watching(['ab', 'cd']);
    await caught().cancel('enough');
    expect([told, cancelled()]).toEqual([['ended'], 'enough']);
    await new Promise(setImmediate);
    expect(clock.pending).toBe(0);
  });

  test.each<[story: string, reads: number, told: string[]]>([
    ['before it is read', 0, ['ended']],
    ['between two reads', 1, ['ab', 'ended']],
  ])('that closes %s has ended for its watcher', async (_, reads, expected) => {
    const { told, caught, close } = watching(['ab', 'cd']);
    const reader = caught().getReader();
    for (let read = 0; read < reads; read += 1) await reader.read();
    close();
    await new Promise(setImmediate);
    expect(told).toEqual(expected);
  });

  test('that closes with its last part has ended for its watcher with that', async () => {
    const { told, caught } = watching(['ab', LAST]);
    const reader = caught().getReader();
    await reader.read();
    expect(told).toEqual(['ab']);
    await reader.read();
    expect(told).toEqual(['ab', LAST, 'ended']);
  });

  test('that is read at once needs no timer', async () => {
    const { clock, caught } = watching(['ab', 'cd']);
    await caught().getReader().read();
    await new Promise(setImmediate);
    expect(clock.pending).toBe(0);
  });

  test('that is read within a second is not read ahead', async () => {
    const { clock, caught, pulled } = watching(['ab', 'cd', 'ef']);
    const schedule = vi.spyOn(clock, 'schedule');
    await new Promise(setImmediate);
    // The timer keeps no process alive.
    expect(schedule.mock.calls).toEqual([[expect.any(Function), 1_000, true]]);
    await clock.advance(500);
    await caught().getReader().read();
    await clock.advance(500);
    await new Promise(setImmediate);
    expect(pulled()).toBe(1);
  });

  test('that is watched for its end alone is read ahead in the next turn, without a timer', async () => {
    const { opened, pulled } = setUp(['ab', 'cd']);
    const clock = virtualClock({ startMs: 0 });
    const ended = vi.fn();
    const watched = watchWebStream(opened.data, clock, ended);
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    expect([pulled(), ended.mock.calls.length, clock.pending]).toEqual([3, 1, 0]);
    expect(await new Response(watched).text()).toBe('abcd');
  });

  test('that no one reads for a second is read ahead, up to 64 KiB', async () => {
    const { opened, caught, pulled } = setUp(Array.from({ length: 9 }, () => 'x'.repeat(16 * 1024)));
    watchBody(opened, caller, { part: () => undefined }, () => undefined);
    await new Promise(setImmediate);
    await caller.clock.advance(999);
    expect(pulled()).toBe(0);
    await caller.clock.advance(1);
    await new Promise(setImmediate);
    expect(pulled()).toBe(4);
    expect(await new Response(caught()).text()).toHaveLength(9 * 16 * 1024);
  });
});
