import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { LONG_BYTES, SHORT, type SlotRow, type SlotWay } from '../slot-row.ts';
import { failed } from './fetch-slots.ts';

export type UndiciResult = Dispatcher.ResponseData;

async function lengthOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const part of body) bytes += part.length;
  return bytes;
}

const piped = ({ body }: UndiciResult): Promise<unknown> => {
  const through = new PassThrough();
  return Promise.all([pipeline(body, through), lengthOf(through)]);
};

/** Ways to use a response of `request`. */
export const undiciSlotRows: readonly SlotRow<UndiciResult>[] = [
  { name: 'text()', path: 'short', use: ({ body }) => body.text(), gives: SHORT },
  {
    name: 'arrayBuffer()',
    path: 'long',
    use: async ({ body }) => (await body.arrayBuffer()).byteLength,
    gives: LONG_BYTES,
  },
  { name: 'an iteration', path: 'long', use: ({ body }) => lengthOf(body), gives: LONG_BYTES },
  { name: 'a pipe', path: 'long', use: piped, gives: [null, LONG_BYTES] },
  { name: 'dump()', path: 'short', use: async ({ body }) => void (await body.dump()), gives: undefined },
  { name: 'no body', path: 'empty', use: () => 'unread', gives: 'unread' },
  { name: 'HEAD', path: 'short', method: 'HEAD', use: () => 'unread', gives: 'unread' },
  { name: 'an unread 404', path: 'missing', use: () => 'unread', gives: 'unread' },
  { name: 'a short unread body', path: 'short', use: () => 'unread', gives: 'unread' },
  {
    name: 'a long body that is destroyed',
    path: 'long',
    use: ({ body }) => void body.on('error', () => undefined).destroy(),
    gives: undefined,
  },
  {
    name: 'a body that breaks during text()',
    path: 'half',
    use: ({ body }) => failed(body.text()),
    gives: 'broken',
  },
  {
    name: 'a body that breaks during an iteration',
    path: 'half',
    use: ({ body }) => failed(lengthOf(body)),
    gives: 'broken',
  },
];

/** None of them keeps a reference to the response. */
export const undiciSlotWays: readonly SlotWay<UndiciResult>[] = [
  { use: ({ body }) => body.text() },
  { use: ({ body }) => lengthOf(body) },
  { use: piped },
  { use: ({ body }) => body.dump() },
];
