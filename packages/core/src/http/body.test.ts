import { createReadStream } from 'node:fs';
import { Readable, Stream } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { nextTurn } from '../base/clock.ts';
import { bufferBytes, bytesOf, closeUpload, isSingleUse, readableBody, takeUpload } from './body.ts';

// No client of a browser can send a stream of Node.
const ofNode = test.skipIf(process.env.EBB_PLATFORM === 'web');

test.each<[value: unknown, bytes: number | undefined]>([
  [new Uint8Array(3), 3],
  [new ArrayBuffer(5), 5],
  [new DataView(new ArrayBuffer(8), 2), 6],
  ['text', undefined],
  [{ byteLength: '5' }, undefined],
  [{}, undefined],
  [null, undefined],
  [undefined, undefined],
])('%o has %s bytes', (value, bytes) => {
  expect(bufferBytes(value)).toBe(bytes);
});

test.each<[what: string, part: unknown, bytes: number[]]>([
  ['a text, in UTF-8', 'aé€', [97, 195, 169, 226, 130, 172]],
  ['a buffer', Uint8Array.of(1, 2).buffer, [1, 2]],
  ['a part of a buffer', Uint8Array.of(1, 2, 3, 4).subarray(1, 3), [2, 3]],
  ['a part of a buffer in another view', new DataView(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2), [2, 3]],
  ['nothing', undefined, []],
  ['a number', 5, []],
  ['an object', {}, []],
])('the bytes of %s', (_, part, bytes) => {
  expect([...bytesOf(part)]).toEqual(bytes);
});

const noop = (): void => undefined;

describe('whether policies may see a body, and whether it can be sent once', () => {
  test.each<[what: string, body: unknown, isReadable: boolean, isOnce: boolean]>([
    ['a text', 'text', true, false],
    ['a number', 5, true, false],
    ['bytes', Uint8Array.of(1), true, false],
    ['a form', new FormData(), true, false],
    ['an object', { a: 1 }, true, false],
    ['an object with half of a stream', { pipe: noop }, true, false],
    ['an object with the other half', { on: noop }, true, false],
    ['an object with fields like a stream', { pipe: 1, on: noop, getReader: 1, next: 1 }, true, false],
    ['an object with such fields, the other half', { pipe: noop, on: 1 }, true, false],
    ['no body', undefined, false, false],
    ['null', null, false, false],
    ['a function that makes one', () => 'text', false, false],
    ['a web stream', new ReadableStream(), false, true],
    ['a web stream of another realm', { getReader: noop }, false, true],
    ['a Node stream', Readable.from(['a']), false, true],
    ['a Node stream of old', { pipe: noop, on: noop }, false, true],
    ['an async iterable', { [Symbol.asyncIterator]: noop }, false, true],
    ['an iterator', { next: noop }, false, true],
  ])('%s', (_, body, isReadable, isOnce) => {
    expect(readableBody(body)).toBe(isReadable ? body : undefined);
    expect(isSingleUse(body)).toBe(isOnce);
  });
});

describe('an upload that is not read any further', () => {
  /** A Node stream that counts how often it is destroyed, and with what. */
  const stream = (more: object = {}) => ({ pipe: noop, on: noop, destroy: vi.fn(), ...more });

  test('a web stream is cancelled with the reason, unless someone reads it', async () => {
    const cancel = vi.fn();
    const free = new ReadableStream({ cancel });
    closeUpload(free, 'enough');
    expect(cancel.mock.calls).toEqual([['enough']]);
    const read = { getReader: noop, locked: true, cancel: vi.fn() };
    closeUpload(read, 'enough');
    expect(read.cancel).not.toHaveBeenCalled();
  });

  test.each<[story: string, more: object, calls: unknown[][]]>([
    ['a Node stream is destroyed without an error', {}, [[]]],
    ['also one that has begun', { readableEnded: false }, [[]]],
    ['but not one that has ended', { readableEnded: true }, []],
  ])('%s', (_, more, calls) => {
    const one = stream(more);
    closeUpload(one, new Error('enough'));
    expect(one.destroy.mock.calls).toEqual(calls);
    if (calls.length > 0) expect(one.destroy.mock.contexts[0]).toBe(one);
  });

  ofNode('the streams of a form are destroyed, and the form', () => {
    const [inside, wrapped] = [stream(), stream()];
    const form = stream({ _streams: ['--boundary', null, undefined, noop, { source: wrapped }, inside] });
    closeUpload(form);
    for (const one of [form, inside, wrapped]) expect(one.destroy).toHaveBeenCalledOnce();
  });

  test('an iterator is returned', () => {
    const iterator = { next: noop, return: vi.fn(() => Promise.reject(new Error('cannot'))) };
    closeUpload(iterator);
    expect(iterator.return.mock.contexts).toEqual([iterator]);
  });

  test('any other body is left alone', () => {
    const destroy = vi.fn();
    for (const body of ['text', undefined, null, { destroy }, Object.assign(() => 'text', { destroy })])
      closeUpload(body);
    expect(destroy).not.toHaveBeenCalled();
  });

  test('one that throws is left as it is', () => {
    const fail = throwing(new Error('cannot'));
    expect(() => closeUpload(stream({ destroy: fail }))).not.toThrow();
  });
});

const followUpload = (body: unknown, failed: (error: unknown) => void): (() => void) =>
  takeUpload(body)?.(failed) ?? expect.fail('not followed');

describe('an upload that waits to be sent', () => {
  const error = new Error('broke');
  const open = (): Readable => new Readable({ read: noop });

  ofNode.each<[what: string, fail: (stream: Readable) => unknown, expected: unknown]>([
    ['fails', (stream) => stream.destroy(error), error],
    ['is destroyed', (stream) => stream.destroy(), new Error('Premature close')],
  ])('a Node stream that %s is noticed, also if it was before', async (_, fail, expected) => {
    const [before, after] = [open(), open()];
    takeUpload(before);
    fail(before);
    await nextTurn();
    const failed = vi.fn();
    followUpload(before, failed);
    followUpload(after, failed);
    fail(after);
    await nextTurn();
    expect([...(failed.mock.calls[0] ?? []), ...(failed.mock.calls.at(-1) ?? [])]).toEqual([
      expected,
      expected,
    ]);
    expect(failed.mock.calls.length).toBeGreaterThan(1);
  });

  ofNode(
    'nothing is noticed of one that has ended, or that is no longer followed; its errors still do not end the process',
    async () => {
      const [ended, left] = [Readable.from([]), open()];
      const failed = vi.fn();
      followUpload(ended, failed);
      ended.resume();
      followUpload(left, failed)();
      left.destroy(error);
      await nextTurn();
      followUpload(ended, failed);
      expect(failed).not.toHaveBeenCalled();
      expect([ended.destroyed, left.errored]).toEqual([true, error]);
    },
  );

  ofNode(
    'a Node stream that flows, as that of a program which has ended, loses nothing meanwhile',
    async () => {
      const stream = Readable.from(['one ', 'two']);
      stream.resume();
      const forget = followUpload(stream, () => expect.fail('failed'));
      stream.resume();
      await setImmediate();
      expect(stream.readableDidRead).toBe(false);
      forget();
      expect(await stream.toArray()).toEqual(['one ', 'two']);
    },
  );

  ofNode('a stream of old, such as a part of a form, may end and close meanwhile', () => {
    const [ended, closed] = [new Stream(), new Stream()];
    const failed = vi.fn();
    followUpload(ended, failed);
    ended.emit('end');
    ended.emit('close');
    expect(failed).not.toHaveBeenCalled();
    followUpload(closed, failed);
    closed.emit('close');
    expect(failed).toHaveBeenCalledTimes(1);
  });

  ofNode('it is followed any number of times, and keeps one listener', () => {
    const stream = open();
    for (let time = 0; time < 20; time += 1) followUpload(stream, noop)();
    expect(['error', 'close', 'end', 'readable'].map((event) => stream.listenerCount(event))).toEqual([
      1, 0, 0, 0,
    ]);
  });

  ofNode('the parts of a form are followed', async () => {
    const [inside, wrapped] = [open(), open()];
    const form = Object.assign(open(), { _streams: ['--boundary', null, noop, { source: wrapped }, inside] });
    const failed = vi.fn();
    const forget = followUpload(form, failed);
    wrapped.destroy(error);
    await nextTurn();
    expect(failed).toHaveBeenCalledWith(error);
    failed.mockClear();
    forget();
    inside.destroy(error);
    await nextTurn();
    expect(failed).not.toHaveBeenCalled();
  });

  test('a web stream is locked meanwhile, and free after that', async () => {
    let fail: (error: unknown) => void = noop;
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue('text');
        fail = (reason) => controller.error(reason);
      },
    });
    const failed = vi.fn();
    const forget = followUpload(stream, failed);
    expect(stream.locked).toBe(true);
    followUpload(stream, failed)();
    forget();
    expect(stream.locked).toBe(false);
    await nextTurn();
    expect(failed).not.toHaveBeenCalled();
    followUpload(stream, failed);
    fail(error);
    await nextTurn();
    expect(failed.mock.calls).toEqual([[error]]);
  });

  test('another body cannot fail', () => {
    expect(takeUpload('text')).toBeUndefined();
    expect(takeUpload(() => 'text')).toBeUndefined();
    expect(followUpload({ [Symbol.asyncIterator]: noop }, () => expect.fail('failed'))()).toBeUndefined();
  });

  ofNode(
    'a file that is closed while it is being opened does not end the process if it is missing',
    async () => {
      const file = createReadStream('/missing/file');
      const broke = new Promise<void>((resolve) => file.on('close', resolve));
      closeUpload(file);
      await broke;
      expect(file.errored).toMatchObject({ code: 'ENOENT' });
    },
  );
});
