import type { ServerEvent } from '@ebb/core';
import { callHook, type ReadHeader } from '@ebb/core/adapter';
import { devText, LONGEST_FIELD, LONGEST_ID } from '@ebb/core/internal';
import type { ResumeFormat } from './download.ts';

/** The hooks and the bound for the events of a stream. */
export interface EventHooks {
  /** True for the event that is the last of a whole stream, such as `[DONE]`. */
  readonly isLast?: ((event: ServerEvent) => boolean) | undefined;
  /** The id of an event, for a server that writes it into the data. `lastId` is that of the event before. */
  readonly idOf?: ((event: ServerEvent, lastId: string | undefined) => string | undefined) | undefined;
  /**
   * The most bytes of an unfinished event that are kept. A longer one is passed on unread, with what arrives together with its end: it
   * has no id, and `isLast` is not asked, so the stream may end after it.
   */
  readonly maxEventBytes: number;
}

/** True for an event stream. Source: WHATWG HTML, "Server-sent events". */
export function isEventStream(status: number, header: ReadHeader): boolean {
  return status === 200 && /^text\/event-stream\s*(;|$)/i.test(header('content-type')?.trim() ?? '');
}

/** True if a body is compressed: its bytes are not those that it is resumed by. */
export function isCoded(header: ReadHeader): boolean {
  return (header('content-encoding') ?? 'identity') !== 'identity';
}

const LINE_END = /\r\n|\n|\r/;
const LF = 10;
const CR = 13;
const DECODER: TextDecoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true });

/** Passes whole events on, and keeps the unfinished one back, so that another stream can go on after the last whole one. */
export class EventStream implements ResumeFormat {
  /** The last id, as EventSource has it; `undefined` before the first. */
  lastId: string | undefined;
  /** True once the last event has come. */
  isDone = false;
  readonly #hooks: EventHooks;
  #retryMs: number | undefined;
  /** Why what came after the last id cannot be asked for: it would come again. */
  #loose: string | undefined;
  /** The unfinished event, as it came. No byte is looked at twice. */
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** True while an event that is too long is passed on. */
  #isTooLong = false;
  /** True if there was such an event. */
  #isUnread = false;
  #isLineStart = true;
  /** True after a carriage return: a line feed that follows is the rest of the same line end. */
  #afterReturn = false;
  /** True if the last line was blank. */
  #isBlank = false;
  #isStart = true;
  /** The last characters that the caller has got. */
  #tail = '';
  /** The line feed that was cut off from the last line end. */
  #owed: Uint8Array[] = [];

  /** @param lastId that of the request */
  constructor(lastId: string | undefined, hooks: EventHooks) {
    this.lastId = lastId;
    this.#hooks = hooks;
  }

  /** @throws HookError if a hook throws */
  take(part: Uint8Array): readonly Uint8Array[] {
    const end = this.#endOfEvents(part);
    if (end === 0) return this.#keep(part);
    const whole = [...this.#kept, part.subarray(0, end)];
    this.#kept = [];
    this.#keptBytes = 0;
    const passed = this.#isTooLong ? whole : this.#passRead(whole);
    this.#isTooLong = false;
    // A copy: the caller may transfer the part.
    return end < part.length ? [...passed, ...this.#keep(new Uint8Array(part.subarray(end)))] : passed;
  }

  #passRead(whole: readonly Uint8Array[]): readonly Uint8Array[] {
    let text = textOf(whole);
    const hasMark = this.#isStart && text.startsWith('\uFEFF');
    if (hasMark) text = text.slice(1);
    this.#read(text);
    // In the middle of what the caller gets the mark would belong to a field.
    return this.#pass(hasMark && this.#tail ? [new TextEncoder().encode(text)] : whole, text);
  }

  #keep(part: Uint8Array): readonly Uint8Array[] {
    const kept = this.#kept;
    kept.push(part);
    this.#keptBytes += part.length;
    const { maxEventBytes } = this.#hooks;
    if (this.#keptBytes <= maxEventBytes && !this.#isTooLong) return [];
    this.#isTooLong = true;
    this.#isUnread = true;
    this.#loose = devText(`an event of more than ${maxEventBytes} bytes`) ?? '';
    this.#kept = [];
    return this.#pass(kept, ' ');
  }

  #pass(parts: readonly Uint8Array[], text: string): readonly Uint8Array[] {
    const owed = this.#owed;
    this.#owed = [];
    this.#isStart = false;
    this.#tail = (this.#tail + text).slice(-3);
    return [...owed, ...parts];
  }

  /** Where the last whole event in a part ends; 0 if none does. */
  #endOfEvents(part: Uint8Array): number {
    let end = 0;
    for (let at = 0; at < part.length; at += 1) {
      const byte = part[at] as number;
      if (byte > CR && !this.#isLineStart) continue;
      const isEnd = byte === LF || byte === CR;
      if (!(byte === LF && this.#afterReturn)) this.#isBlank = this.#isLineStart;
      if (isEnd && this.#isBlank) end = at + 1;
      this.#afterReturn = byte === CR;
      this.#isLineStart = isEnd;
    }
    return end;
  }

  #read(text: string): void {
    let event = '';
    let data: string[] = [];
    let hasId = false;
    for (const line of text.split(LINE_END)) {
      const [, field, value = ''] = /([^:]*):? ?(.*)/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      else if (field === 'event') event = value;
      else if (field === 'id' && !value.includes('\0') && value.length <= LONGEST_ID) {
        this.lastId = value;
        hasId = true;
      } else if (line === '') {
        if (data.length > 0) {
          this.#loose = devText('events without an id') ?? '';
          hasId = this.#ask({ event: event || 'message', data: data.join('\n') }) || hasId;
        }
        if (hasId) this.#loose = undefined;
        event = '';
        data = [];
        hasId = false;
      } else this.#retryMs = waitIn(line) ?? this.#retryMs;
    }
  }

  /** Returns true if the event has an id of a hook. */
  #ask(event: ServerEvent): boolean {
    const { isLast, idOf } = this.#hooks;
    if (isLast && callHook('isLast', () => isLast(event))) this.isDone = true;
    const id = idOf && callHook('idOf', () => idOf(event, this.lastId));
    if (id === undefined) return false;
    this.lastId = id;
    return true;
  }

  /** The delay that the server asks for before a reconnection, in milliseconds. A `retry` line holds as soon as the line has ended. */
  get retryMs(): number | undefined {
    const text = textOf(this.#kept);
    const lines = (this.#isStart ? text.replace(/^\uFEFF/, '') : text).split(LINE_END).slice(0, -1);
    return lines.reduce((found, line) => waitIn(line) ?? found, this.#retryMs);
  }

  /** Without `isLast` any end is one: the stream may have had no more to say. */
  get mayEnd(): boolean {
    return this.isDone || this.#isUnread || this.#hooks.isLast === undefined;
  }

  left(): readonly Uint8Array[] {
    return [...this.#owed, ...this.#kept];
  }

  get lost(): string | undefined {
    return this.#loose ?? (this.lastId === '' ? (devText('an id that was taken back') ?? '') : undefined);
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    // A header is a text of bytes, and EventSource sends UTF-8.
    const bytes = new TextEncoder().encode(this.lastId);
    return { 'last-event-id': String.fromCharCode(...bytes) || undefined };
  }

  mismatch(status: number, header: ReadHeader): string | undefined {
    // There is no more.
    if (status === 204 || isEventStream(status, header)) return undefined;
    return devText(status === 200 ? 'another content type' : `status ${status}`) ?? '';
  }

  begin(): void {
    this.#retryMs = this.retryMs;
    // A reader that looks for both bytes of line ends would take two events for one.
    if (this.#tail === '\r\n\r') this.#owed = [Uint8Array.of(LF)];
    this.#kept = [];
    this.#keptBytes = 0;
    this.#isLineStart = true;
    this.#afterReturn = false;
    this.#isStart = true;
  }
}

function textOf(parts: readonly Uint8Array[]): string {
  // The last call forgets half a character.
  return parts.map((part) => DECODER.decode(part, { stream: true })).join('') + DECODER.decode();
}

/** The milliseconds of a line that is a `retry` field. */
function waitIn(line: string): number | undefined {
  const digits = line.length <= LONGEST_FIELD ? /^retry: ?(\d+)$/.exec(line)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
