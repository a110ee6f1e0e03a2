import { nextTurn } from '../base/clock.ts';
import type { Clock } from '../base/time.ts';
import type { InspectionContext, Peek } from '../http/body.ts';
import type { InspectedResponse, RequestTraits, ResponseOutcome, ServerEvent } from '../http/outcome.ts';

/** Finds the first event of a stream that is not a `ping`, which only keeps the connection open. */
export class FirstEvent {
  /** The line that has not ended yet, as it came: it is joined once, when it has ended. */
  #line: string[] = [];
  /** True after a carriage return: a line feed that follows is the rest of the same line end. */
  #afterReturn = false;
  #event = '';
  #data: string[] = [];

  /** Takes the next part of the stream, and returns the event once it has ended. No character is looked at twice. */
  take(part: string): ServerEvent | undefined {
    if (part === '') return undefined;
    let at = this.#afterReturn && part.startsWith('\n') ? 1 : 0;
    this.#afterReturn = part.endsWith('\r');
    const lineEnd = /\r\n|\n|\r/g;
    lineEnd.lastIndex = at;
    for (let end = lineEnd.exec(part); end !== null; end = lineEnd.exec(part)) {
      this.#line.push(part.slice(at, end.index));
      at = lineEnd.lastIndex;
      const line = this.#line.join('');
      this.#line = [];
      const event = this.#takeLine(line);
      if (event !== undefined) return event;
    }
    if (at < part.length) this.#line.push(part.slice(at));
    return undefined;
  }

  /** Takes a line. A blank one ends an event. */
  #takeLine(line: string): ServerEvent | undefined {
    if (line === '') {
      const [event, data] = [this.#event, this.#data];
      this.#event = '';
      this.#data = [];
      if (data.length === 0 || event === 'ping') return undefined;
      return { event: event || 'message', data: data.join('\n') };
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    return undefined;
  }
}

/** How far a body is read. */
export interface LookBounds {
  readonly bytes: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * The number of parts in a row after which the event loop gets a turn. Parts that are there already come without a turn, and no
 * timer could end the look.
 */
const PARTS_A_TURN = 128;

/** A bounded look at the beginning of a body. */
export class BodyReader implements InspectedResponse {
  readonly status: number;
  readonly request: RequestTraits;
  readonly attempt: number;
  readonly #outcome: ResponseOutcome;
  readonly #open: (maxBytes: number) => Peek | undefined;
  readonly #bounds: LookBounds;
  /** `null` if there is none; `undefined` before it is opened. */
  #peek: Peek | null | undefined;
  /** Skips a byte order mark. */
  readonly #decoder = new TextDecoder();
  /** The text in the parts in which it came. Joining them for each part would take the square of their number. */
  readonly #parts: string[] = [];
  #bytes = 0;
  /** True once the body has ended within the bounds. */
  #isWhole = false;
  /** True once nothing more is read. */
  #isOver = false;
  /** The error with which the body broke during the look; `undefined` if it did not break. */
  error: unknown;
  #reading: Promise<void> | undefined;
  /** Ends the wait for the part that is being read. */
  #stopWaiting: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(outcome: ResponseOutcome, { request, attempt, open }: InspectionContext, bounds: LookBounds) {
    this.#outcome = outcome;
    this.status = outcome.status;
    this.request = request;
    this.attempt = attempt;
    this.#open = open;
    this.#bounds = bounds;
  }

  header(name: string): string | undefined {
    return this.#outcome.header(name);
  }

  async text(): Promise<string> {
    const parsed = this.#begin()?.parsed;
    if (parsed !== undefined) return textOf(parsed.value);
    while (await this.#readMore());
    return this.#parts.join('');
  }

  async json(): Promise<unknown> {
    const parsed = this.#begin()?.parsed;
    if (parsed !== undefined && typeof parsed.value !== 'string') return parsed.value;
    const text = await this.text();
    if (parsed === undefined && !this.#isWhole) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  async firstEvent(): Promise<ServerEvent | undefined> {
    const parsed = this.#begin()?.parsed;
    const first = new FirstEvent();
    if (parsed !== undefined) return first.take(textOf(parsed.value));
    // Another call may have read parts already, or may read them meanwhile.
    for (let next = 0, hasMore = true; ; hasMore = await this.#readMore()) {
      for (; next < this.#parts.length; next += 1) {
        const event = first.take(this.#parts[next] ?? '');
        if (event !== undefined) return event;
      }
      if (!hasMore) return undefined;
    }
  }

  /** Ends the look: what has not been read stays for the caller. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer?.();
    this.#stopWaiting?.();
    this.#peek?.stop();
  }

  #begin(): Peek | null {
    if (this.#peek === undefined) this.#peek = (this.#isOver ? null : this.#open(this.#bounds.bytes)) ?? null;
    return this.#peek;
  }

  /** Reads on; false if there is nothing more within the bounds. */
  async #readMore(): Promise<boolean> {
    const peek = this.#begin();
    if (peek === null) this.#isWhole = true;
    if (peek === null || this.#isOver) return false;
    this.#cancelTimer ??= this.#bounds.clock.schedule(() => this.end(), this.#bounds.timeoutMs);
    // Two calls may read at the same time.
    this.#reading ??= new Promise((resolve) => {
      this.#stopWaiting = resolve;
      void this.#readPart(peek).then(resolve);
    });
    await this.#reading;
    return !this.#isOver;
  }

  async #readPart(peek: Peek): Promise<void> {
    try {
      if (this.#parts.length % PARTS_A_TURN === PARTS_A_TURN - 1) await nextTurn();
      if (this.#isOver) return;
      const part = await peek.read();
      if (this.#isOver) return;
      if (part === undefined) {
        this.#isWhole = true;
        this.#parts.push(this.#decoder.decode());
        this.end();
      } else {
        this.#keep(part);
      }
    } catch (error) {
      if (!this.#isOver) this.error = error;
      this.end();
    } finally {
      this.#reading = undefined;
    }
  }

  #keep(part: Uint8Array): void {
    const room = this.#bounds.bytes - this.#bytes;
    this.#bytes += part.length;
    this.#parts.push(this.#decoder.decode(part.subarray(0, room), { stream: true }));
    if (part.length > room) this.end();
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
