import { bufferBytes, type Peek } from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';
import { responseIn } from '../response.ts';
import { bytesOf } from './bytes.ts';
import { NodePeek } from './peek-node.ts';
import { isNodeReadable, isWebReadable } from './stream.ts';

/**
 * Opens the body of the response in what an adapter settled with. The adapters of axios have read a body that is not
 * streamed, but not parsed it: `transformResponse` runs after the last attempt. A custom adapter may have.
 *
 * @param mostBytes a longer body need not be passed on whole
 * @returns `undefined` for a response without a body, or with a body that has neither text nor bytes, such as a form
 */
export function peekAt(settled: unknown, mostBytes: number): Peek | undefined {
  const response = responseIn(settled);
  const data: unknown = response?.data;
  if (response === undefined || data === undefined || data === null || data === '') return undefined;
  if (isNodeReadable(data)) return NodePeek.at(response, data);
  if (isWebReadable(data)) return peekAtWeb(response, data);
  // One more byte tells that there is more. No character has less than one byte for each unit.
  const end = mostBytes + 1;
  if (typeof data === 'string') return onePart(() => bytesOf(data.slice(0, end)));
  if (bufferBytes(data) !== undefined) return onePart(() => bytesOf(data).subarray(0, end));
  const tag = Object.prototype.toString.call(data);
  if (tag === '[object Blob]' || tag === '[object File]') {
    return onePart(async () => new Uint8Array(await (data as Blob).slice(0, end).arrayBuffer()));
  }
  const isParsed = typeof data !== 'object' || tag === '[object Object]' || tag === '[object Array]';
  return isParsed ? { read: async () => undefined, stop: nothing, parsed: { value: data } } : undefined;
}

const nothing = (): void => undefined;

/** A body that is in memory. */
function onePart(part: () => Uint8Array | Promise<Uint8Array>): Peek {
  let isRead = false;
  return {
    async read() {
      if (isRead) return undefined;
      isRead = true;
      return part();
    },
    stop: nothing,
  };
}

/** The caller gets the other branch of the stream. */
function peekAtWeb(response: AxiosResponse, stream: ReadableStream<Uint8Array>): Peek | undefined {
  if (stream.locked) return undefined;
  const [look, rest] = stream.tee();
  response.data = rest;
  const reader = look.getReader();
  return {
    async read() {
      const { done, value } = await reader.read();
      return done ? undefined : bytesOf(value);
    },
    // Not awaited: cancelling one branch waits for the other.
    stop: () => void reader.cancel().catch(nothing),
  };
}
