import {
  bufferBytes,
  bytesOf,
  isNodeReadable,
  isWebReadable,
  type Opened,
  peekAtPart,
  peekAtWeb,
} from '@ebb/core/adapter';
import { NodePeek } from '#platform';
import { responseIn } from '../response.ts';

/**
 * Opens the body of the response in what an adapter settled with. The adapters of axios have read a body that is not
 * streamed, but not parsed it: `transformResponse` runs after the last attempt. A custom adapter may have.
 *
 * @param mostBytes a longer body need not be passed on whole
 * @returns `undefined` for a response without a body, or with a body that has neither text nor bytes, such as a form
 */
export function peekAt(settled: unknown, mostBytes: number): Opened {
  const response = responseIn(settled);
  const data: unknown = response?.data;
  if (response === undefined || data === undefined || data === null || data === '') return undefined;
  const replace = (copy: unknown): void => {
    response.data = copy;
  };
  if (NodePeek && isNodeReadable(data)) return NodePeek.at(data, replace);
  if (isWebReadable(data)) {
    if (data.locked) return undefined;
    const [look, rest] = data.tee();
    replace(rest);
    return peekAtWeb(look);
  }
  // One more byte tells that there is more. No character has less than one byte for each unit.
  const end = mostBytes + 1;
  if (typeof data === 'string') return peekAtPart(() => bytesOf(data.slice(0, end)));
  if (bufferBytes(data) !== undefined) return peekAtPart(() => bytesOf(data).subarray(0, end));
  const tag = Object.prototype.toString.call(data);
  if (tag === '[object Blob]' || tag === '[object File]') {
    return peekAtPart(async () => new Uint8Array(await (data as Blob).slice(0, end).arrayBuffer()));
  }
  const isParsed = typeof data !== 'object' || tag === '[object Object]' || tag === '[object Array]';
  return isParsed ? { ...peekAtPart(() => new Uint8Array()), parsed: { value: data } } : undefined;
}
