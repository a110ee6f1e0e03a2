import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import {
  bufferBytes,
  bytesOf,
  closeUpload,
  isNodeReadable,
  isSingleUse,
  isWebReadable,
  readableBody,
} from './body.ts';

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

test('a transferred buffer has no bytes', () => {
  const buffer = new ArrayBuffer(5);
  structuredClone(buffer, { transfer: [buffer] });
  expect(bufferBytes(buffer)).toBe(0);
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
    [
      'an object with fields like those of a stream',
      { pipe: 1, on: noop, getReader: 1, next: 1 },
      true,
      false,
    ],
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

  test('no body is no stream', () => {
    expect([isWebReadable(null), isNodeReadable(undefined)]).toEqual([false, false]);
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

  test('the streams of a form are destroyed, and the form', () => {
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
    const fail = (): never => {
      throw new Error('cannot');
    };
    expect(() => closeUpload(stream({ destroy: fail }))).not.toThrow();
  });
});
