import { expect, test, vi } from 'vitest';
import { bytesOf } from '../http/body.ts';
import { virtualClock } from '../testing.ts';
import { watchBody } from './peek.ts';

/** What a watcher sees of a body that a client has whole. */
async function seenIn(data: unknown): Promise<string> {
  let seen = '';
  const part = (given: Uint8Array | string): void => {
    seen += new TextDecoder().decode(bytesOf(given));
  };
  await new Promise<void>((ended) => {
    watchBody({ data, replace: vi.fn() }, { signal: undefined, clock: virtualClock() }, { part }, ended);
  });
  return seen;
}

test.each<[kind: string, data: unknown, seen: string]>([
  ['text', 'abc', 'abc'],
  ['bytes', new TextEncoder().encode('abc'), 'abc'],
  ['a buffer', new TextEncoder().encode('abc').buffer, 'abc'],
  ['a Blob', new Blob(['a', 'bc']), 'abc'],
  ['an object that a client has parsed', { used: 5 }, '{"used":5}'],
  ['a list', [5], '[5]'],
  ['none', undefined, ''],
  ['null', null, ''],
  ['a document', Object.create({ [Symbol.toStringTag]: 'XMLDocument' }), ''],
])('a body that is %s is seen whole', async (_, data, seen) => {
  expect(await seenIn(data)).toBe(seen);
});
