import type { Clock } from '../base/clock.ts';
import { bufferBytes, bytesOf, isNodeReadable, isWebReadable } from '../http/body.ts';
import type { BodyWatcher, Data, Opened, Peek } from '../http/peek.ts';
import { NodePeek } from './node-peek.ts';
import { WebPeek } from './web-peek.ts';

/** Whose body it is. */
interface Caller {
  /** It ends the body even if the look has read it. */
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** A peek at a stream of either kind; `undefined` for anything else, and for one that someone reads. */
function peekAtStream({ data, replace, abortError }: Data, { signal, clock }: Caller): Peek | undefined {
  // Nothing can be put back into some streams of Node: they are not looked at.
  if (isNodeReadable(data)) return NodePeek.at(data, replace);
  if (!isWebReadable(data) || data.locked) return undefined;
  const check = (): void => {
    if (signal?.aborted) throw abortError?.() ?? signal.reason;
  };
  return new WebPeek(data, { clock, check, replace });
}

/** True for a file of the platform. */
function isBlob(data: unknown): data is Blob {
  return /^\[object (Blob|File)\]$/.test(Object.prototype.toString.call(data));
}

/** True for a value that a client has made of the text of a body. */
function isParsed(data: unknown): boolean {
  const tag = Object.prototype.toString.call(data);
  return typeof data !== 'object' || tag === '[object Object]' || tag === '[object Array]';
}

/**
 * Opens what an adapter has. `undefined` if there is no body with text or bytes, and for one that cannot be looked at.
 *
 * @param mostBytes a longer body need not be passed on whole
 */
export function peekAt(opened: Opened, mostBytes: number, caller: Caller): Peek | undefined {
  if (opened === undefined || 'read' in opened) return opened;
  const { data } = opened;
  if (data === undefined || data === null || data === '') return undefined;
  if (isNodeReadable(data) || isWebReadable(data)) return peekAtStream(opened, caller);
  // One more byte tells that there is more. No character has less than one byte for each unit.
  const end = mostBytes + 1;
  if (typeof data === 'string') return peekAtPart(() => bytesOf(data.slice(0, end)));
  if (bufferBytes(data) !== undefined) return peekAtPart(() => bytesOf(data).subarray(0, end));
  if (isBlob(data)) return peekAtPart(async () => new Uint8Array(await data.slice(0, end).arrayBuffer()));
  return isParsed(data) ? { ...peekAtPart(() => new Uint8Array()), parsed: { value: data } } : undefined;
}

/** A look at a body that is in memory. */
export function peekAtPart(part: () => Uint8Array | Promise<Uint8Array>): Peek {
  let isRead = false;
  return {
    async read() {
      if (isRead) return undefined;
      isRead = true;
      return part();
    },
    stop: () => undefined,
  };
}

/**
 * Watches a body as it passes on its way to the caller: the same bytes, read when the caller reads them.
 *
 * @param ended called once or more: when the body has ended, failed, was cancelled or garbage-collected; at once if there is
 * none, or if its client does not show it. It must not hold the response, which could then never be collected
 */
export function watchBody(opened: Opened, caller: Caller, watcher: BodyWatcher, ended: () => unknown): void {
  const peek = opened === undefined || 'read' in opened ? opened : peekAtStream(opened, caller);
  if (peek?.watch !== undefined) peek.watch(watcher, ended);
  else if (peek !== undefined) void readWhole(peek, watcher).then(ended, ended);
  else if (opened !== undefined && 'data' in opened) void watchData(opened.data, watcher).then(ended, ended);
  else ended();
}

/** A body that a client has whole. */
async function readWhole(peek: Peek, watcher: BodyWatcher): Promise<void> {
  if (peek.parsed !== undefined) await watchData(peek.parsed.value, watcher);
  else for (let part = await peek.read(); part !== undefined; part = await peek.read()) watcher.part(part);
  peek.stop();
}

/** A body as a client has read it. */
async function watchData(data: unknown, watcher: BodyWatcher): Promise<void> {
  if (isBlob(data)) watcher.part(new Uint8Array(await data.arrayBuffer()));
  else if (typeof data === 'string') watcher.part(data);
  else if (bufferBytes(data) !== undefined) watcher.part(bytesOf(data));
  else if (typeof data === 'object' && data !== null && isParsed(data)) watcher.part(JSON.stringify(data));
}
