import { bufferBytes, isWebReadable } from '../http/body.ts';
import type { Opened, Peek } from '../http/peek.ts';
import { bytesOf, peekAtPart, peekAtWeb } from './peeks.ts';

/**
 * Opens what an adapter has. `undefined` if there is no body with text or bytes, and for a mock that cannot be cloned.
 *
 * @param mostBytes a longer body need not be passed on whole
 */
export function peekAt(opened: Opened, mostBytes: number): Peek | undefined {
  if (opened === undefined || 'read' in opened) return opened;
  try {
    if ('replace' in opened) return peekAtData(opened.data, opened.replace, mostBytes);
    const { body } = opened.body ? opened.clone() : opened;
    return isWebReadable(body) ? peekAtWeb(body) : undefined;
  } catch {
    return undefined;
  }
}

/** The caller's stream is one branch of a tee: the other is looked at. */
function peekAtData(data: unknown, replace: (rest: unknown) => void, mostBytes: number): Peek | undefined {
  if (data === undefined || data === null || data === '') return undefined;
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
