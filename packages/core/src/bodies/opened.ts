import { bufferBytes, isNodeReadable, isWebReadable, type NodeReadable } from '../http/body.ts';
import type { BodyContext, Opened, Peek } from '../http/peek.ts';
import { whenBodyEnds } from './body-end.ts';
import { nativeBody, nativeClone } from './intercept-body.ts';
import { NodePeek } from './node-peek.ts';
import { bytesOf, peekAtPart, peekAtWeb } from './peeks.ts';
import { watchedStream } from './watched-stream.ts';

/**
 * Opens what an adapter has. `undefined` if there is no body with text or bytes, and for a mock that cannot be cloned.
 *
 * @param mostBytes a longer body need not be passed on whole
 */
export function peekAt(opened: Opened, mostBytes: number, context: BodyContext): Peek | undefined {
  if (opened === undefined || 'read' in opened) return opened;
  try {
    if ('replace' in opened) return peekAtData(opened, mostBytes, context.signal);
    const body = nativeBody(opened as unknown as Response);
    if (isNodeReadable(body)) return peekAtNodeFetch(opened);
    if (!isWebReadable(body)) return undefined;
    // An abort would not reach what the look has read.
    if (context.signal !== undefined) whenBodyEnds(opened, context, () => undefined);
    // A native one: what watches the response must not see the look end.
    return peekAtWeb(nativeClone(opened as unknown as Response)?.body as ReadableStream);
  } catch {
    return undefined;
  }
}

/** What node-fetch 2 and 3 keep of a body, under a symbol. */
interface Internals {
  body: unknown;
  stream?: unknown;
}

/** Not at a clone: that of node-fetch loses the errors of its stream, and its two branches wait for each other. */
export function peekAtNodeFetch(response: object): Peek | undefined {
  for (const symbol of Object.getOwnPropertySymbols(response)) {
    if (symbol.description !== 'Body internals') continue;
    const internals = (response as Record<symbol, Internals>)[symbol] as Internals;
    return NodePeek.at(internals.body as object, (copy) => {
      // As node-fetch has one on its own stream, which it destroys when the socket closes: without it that would end the process.
      (copy as NodeReadable).on('error', () => undefined);
      internals.body = copy;
      if ('stream' in internals) internals.stream = copy;
    });
  }
  return undefined;
}

const nothing = (): void => undefined;
const NO_OBSERVER = { part: nothing, ended: nothing, cancelled: nothing };

/** The caller's stream is one branch of a tee: the other is looked at. */
function peekAtData(
  { data, replace, abortError }: Extract<Opened, { replace: unknown }>,
  mostBytes: number,
  signal: AbortSignal | undefined,
): Peek | undefined {
  // Nothing can be put back into some streams of Node: they are not looked at.
  if (isNodeReadable(data)) return NodePeek.at(data, replace);
  if (data === undefined || data === null || data === '') return undefined;
  if (isWebReadable(data)) {
    if (data.locked) return undefined;
    const [look, rest] = data.tee();
    const taken = (): void => {
      if (signal?.aborted) throw abortError?.() ?? signal.reason;
    };
    replace(signal ? watchedStream(rest, () => rest, undefined, { ...NO_OBSERVER, taken }).stream : rest);
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
