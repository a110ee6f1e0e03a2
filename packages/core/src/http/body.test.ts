import { expect, test } from 'vitest';
import { bufferBytes } from './body.ts';

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
