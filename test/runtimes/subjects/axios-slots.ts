import type { AxiosResponse } from 'axios';
import { LONG_BYTES, SHORT, type SlotRow, type SlotWay } from '../slot-row.ts';
import { bytesOf } from './fetch-slots.ts';

/** A stream of Node, as the http adapter gives it. */
interface NodeStream extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

type Stream = NodeStream | ReadableStream<Uint8Array>;

/** A response, or the error in place of one. */
export type AxiosResult = AxiosResponse | Error;

const dataOf = (result: AxiosResult): unknown => ('data' in result ? result.data : String(result));

async function lengthOf(stream: Stream): Promise<number> {
  if ('getReader' in stream) return bytesOf(stream);
  let bytes = 0;
  for await (const part of stream) bytes += part.length;
  return bytes;
}

async function stop(stream: Stream): Promise<void> {
  if ('getReader' in stream) await stream.cancel();
  else stream.destroy();
}

const bytes = { responseType: 'arraybuffer' };
const streamed = { responseType: 'stream' };

/** Ways to use a response of axios, which has arrived as a whole unless it is a stream. */
export const axiosSlotRows: readonly SlotRow<AxiosResult>[] = [
  { name: 'a text', path: 'short', use: dataOf, gives: SHORT },
  { name: 'an unused text', path: 'short', use: () => 'unused', gives: 'unused' },
  {
    name: 'an ArrayBuffer',
    path: 'long',
    config: bytes,
    use: (result) => (dataOf(result) as ArrayBuffer).byteLength,
    gives: LONG_BYTES,
  },
  { name: 'no body', path: 'empty', use: dataOf, gives: '' },
  { name: 'HEAD', path: 'short', method: 'HEAD', use: dataOf, gives: '' },
  {
    name: 'a 404',
    path: 'missing',
    use: (result) => result instanceof Error,
    gives: true,
  },
  {
    name: 'a body that breaks',
    path: 'half',
    use: (result) => result instanceof Error,
    gives: true,
  },
];

const readStream = (result: AxiosResult): Promise<number> => lengthOf(dataOf(result) as Stream);

/** Ways to use a streamed response. */
export const axiosStreamRows: readonly SlotRow<AxiosResult>[] = [
  { name: 'a stream', path: 'long', config: streamed, use: readStream, gives: LONG_BYTES },
  {
    name: 'a stream after a reader that did not read',
    path: 'long',
    config: streamed,
    use: (result) => {
      const stream = dataOf(result) as Stream;
      if ('getReader' in stream) stream.getReader().releaseLock();
      return lengthOf(stream);
    },
    gives: LONG_BYTES,
  },
  {
    name: 'a long stream that is ended early',
    path: 'long',
    config: streamed,
    use: (result) => stop(dataOf(result) as Stream),
    gives: undefined,
  },
  {
    name: 'a stream that breaks',
    path: 'half',
    config: streamed,
    use: (result) => readStream(result).catch(() => 'broken'),
    gives: 'broken',
  },
  {
    name: 'a streamed 404 that is ended',
    path: 'missing',
    config: streamed,
    use: (result) => stop((result as { readonly response?: { data?: unknown } }).response?.data as Stream),
    gives: undefined,
  },
];

export const axiosSlotWays: readonly SlotWay<AxiosResult>[] = [
  { use: dataOf },
  { config: bytes, use: dataOf },
];

export const axiosStreamWays: readonly SlotWay<AxiosResult>[] = [{ config: streamed, use: readStream }];
