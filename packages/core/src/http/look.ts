import type { Clock } from '../base/clock.ts';
import { FirstEvent } from './first-event.ts';
import type { InspectedResponse, InspectionContext, Peek, ServerEvent } from './inspect.ts';
import type { RequestTraits, Responded } from './outcome.ts';

/** How far a body is read. */
export interface LookBounds {
  readonly bytes: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** A bounded look at the beginning of a body. */
export class Look implements InspectedResponse {
  readonly status: number;
  readonly request: RequestTraits;
  readonly attempt: number;
  readonly #outcome: Responded;
  readonly #open: (maxBytes: number) => Peek | undefined;
  readonly #bounds: LookBounds;
  #peek: Peek | undefined;
  #isOpen = false;
  /** Skips a byte order mark. */
  readonly #decoder = new TextDecoder();
  #text = '';
  #bytes = 0;
  /** True once the body has ended within the bounds. */
  #isWhole = false;
  /** True once nothing more is read. */
  #isOver = false;
  #error: unknown;
  #reading: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #timeout: Promise<void> | undefined;

  constructor(outcome: Responded, { request, attempt, open }: InspectionContext, bounds: LookBounds) {
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

  /** What the body broke with during the look; `undefined` if it did not. */
  get error(): unknown {
    return this.#error;
  }

  async text(): Promise<string> {
    const parsed = this.#begin()?.parsed;
    if (parsed !== undefined) return textOf(parsed.value);
    while (await this.#readMore());
    return this.#text;
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
    if (parsed !== undefined) return first.in(textOf(parsed.value), true);
    for (let hasMore = true; ; hasMore = await this.#readMore()) {
      const event = first.in(this.#text, this.#isWhole);
      if (event !== undefined || !hasMore) return event;
    }
  }

  /** Ends the look: what has not been read stays for the caller. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer?.();
    this.#peek?.stop();
  }

  #begin(): Peek | undefined {
    if (this.#isOpen) return this.#peek;
    this.#isOpen = true;
    if (!this.#isOver) this.#peek = this.#open(this.#bounds.bytes);
    return this.#peek;
  }

  /** Reads on; false if there is nothing more within the bounds. */
  async #readMore(): Promise<boolean> {
    const peek = this.#begin();
    if (peek === undefined) this.#isWhole = true;
    if (peek === undefined || this.#isOver) return false;
    // Two calls may read at the same time.
    this.#reading ??= this.#readPart(peek);
    this.#timeout ??= new Promise((resolve) => {
      const { clock, timeoutMs } = this.#bounds;
      this.#cancelTimer = clock.schedule(() => {
        this.end();
        resolve();
      }, timeoutMs);
    });
    await Promise.race([this.#reading, this.#timeout]);
    return !this.#isOver;
  }

  async #readPart(peek: Peek): Promise<void> {
    try {
      const part = await peek.read();
      if (this.#isOver) return;
      if (part === undefined) {
        this.#isWhole = true;
        this.#text += this.#decoder.decode();
        this.end();
      } else {
        this.#keep(part);
      }
    } catch (error) {
      if (!this.#isOver) this.#error = error;
      this.end();
    } finally {
      this.#reading = undefined;
    }
  }

  #keep(part: Uint8Array): void {
    const room = this.#bounds.bytes - this.#bytes;
    this.#bytes += part.length;
    this.#text += this.#decoder.decode(part.subarray(0, room), { stream: true });
    if (part.length > room) this.end();
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
