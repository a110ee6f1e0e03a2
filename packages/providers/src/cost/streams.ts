import type { InspectedResponse, RequestTraits, ServerEvent } from '@ebb/core';
import type { BodyWatcher } from '@ebb/core/internal';
import { bytesOf, FirstEvent, type ResponseOutcome } from '@ebb/core/internal';

/** The beginning of a body, as it passes. Hazard: what waits for its end holds it, so it must not hold the response. */
export class PassedBody implements BodyWatcher {
  readonly #decoder = new TextDecoder();
  readonly #parts: string[] = [];
  #room: number;
  #isOver = false;
  #resolve: (text: string) => void = () => undefined;
  /** The text of the body; resolves at its end, or once it is longer than the most that is kept. */
  readonly text: Promise<string> = new Promise((resolve) => {
    this.#resolve = resolve;
  });

  /** @param longest the most that is kept, in bytes */
  constructor(longest: number) {
    this.#room = longest;
  }

  part(part: Uint8Array | string): void {
    if (this.#isOver) return;
    const bytes = bytesOf(part);
    this.#parts.push(this.#decoder.decode(bytes.subarray(0, this.#room), { stream: true }));
    this.#room -= bytes.length;
    if (this.#room < 0) this.end();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolve(this.#parts.join(''));
  }
}

/** A response whose body passes by, or one event of it. */
export class PassedResponse implements InspectedResponse {
  readonly request: RequestTraits;
  readonly attempt: number;
  readonly #outcome: ResponseOutcome;
  readonly #body: Promise<string> | string;
  readonly #event: ServerEvent | undefined;

  constructor(
    outcome: ResponseOutcome,
    { request, attempt }: Pick<InspectedResponse, 'request' | 'attempt'>,
    body: Promise<string> | string,
    event?: ServerEvent,
  ) {
    this.#outcome = outcome;
    this.request = request;
    this.attempt = attempt;
    this.#body = body;
    this.#event = event;
  }

  get status(): number {
    return this.#outcome.status;
  }

  header(name: string): string | undefined {
    return this.#outcome.header(name);
  }

  async text(): Promise<string> {
    return this.#body;
  }

  async json(): Promise<unknown> {
    try {
      return JSON.parse(await this.#body);
    } catch {
      return undefined;
    }
  }

  async firstEvent(): Promise<ServerEvent | undefined> {
    return this.#event ?? new FirstEvent().take(await this.#body);
  }
}

/** Reads lines that pass by. No more than one is kept. */
abstract class Lines implements BodyWatcher {
  readonly #decoder = new TextDecoder();
  protected readonly longest: number;
  protected readonly onEvent: (event: ServerEvent) => void;
  /** The line that has not ended, in the parts in which it came. */
  #line: string[] = [];
  #length = 0;
  /** True after a carriage return: a line feed that follows is the rest of the same line end. */
  #afterReturn = false;

  /**
   * @param longest the most of an event that is kept, in characters. A longer one is left out
   * @param onEvent must not throw
   */
  constructor(longest: number, onEvent: (event: ServerEvent) => void) {
    this.longest = longest;
    this.onEvent = onEvent;
  }

  /** @param line `undefined` if it is too long */
  protected abstract take(line: string | undefined): void;

  part(part: Uint8Array | string): void {
    const text = typeof part === 'string' ? part : this.#decoder.decode(bytesOf(part), { stream: true });
    if (text === '') return;
    const from = this.#afterReturn && text.startsWith('\n') ? 1 : 0;
    this.#afterReturn = text.endsWith('\r');
    const [first = '', ...lines] = text.slice(from).split(/\r\n|\n|\r/);
    this.#keep(first);
    for (const line of lines) {
      this.endLine();
      this.#keep(line);
    }
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#length <= this.longest) this.#line.push(text);
  }

  protected endLine(): void {
    const line = this.#length <= this.longest ? this.#line.join('') : undefined;
    this.#line = [];
    this.#length = 0;
    this.take(line);
  }
}

/** Reads the events of a stream. */
export class EventReader extends Lines {
  #events = new FirstEvent();
  /** How long the event is that has not ended. */
  #eventLength = 0;

  protected override take(line: string | undefined): void {
    this.#eventLength += line?.length ?? Infinity;
    if (this.#eventLength > this.longest) this.#events = new FirstEvent();
    const event = line === undefined ? undefined : this.#events.take(`${line}\n`);
    if (line === '') this.#eventLength = 0;
    if (event !== undefined) this.onEvent(event);
  }
}

/** Reads lines of JSON, each as an event. */
export class LineReader extends Lines {
  protected override take(line: string | undefined): void {
    const data = line?.trim();
    if (data) this.onEvent({ event: 'message', data });
  }

  /** The last line ends with the body. */
  end(): void {
    this.endLine();
  }
}

/** Both lengths and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/**
 * Reads the messages of an event stream of AWS that passes by, whose data is their payload, and whose headers are not read. No more
 * than one is kept, and one that is too long is left out. Source: "Event stream encoding", Amazon Transcribe developer guide.
 */
export class MessageReader implements BodyWatcher {
  readonly #longest: number;
  readonly #onEvent: (event: ServerEvent) => void;
  /** The message, and until that is known the four bytes of its length. */
  #message = new Uint8Array(4);
  #length = 0;
  /** The bytes left of a message that is too long; infinite after bytes of no valid message. */
  #skipped = 0;

  /**
   * @param longest the most of a message that is kept, in bytes
   * @param onEvent must not throw
   */
  constructor(longest: number, onEvent: (event: ServerEvent) => void) {
    this.#longest = longest;
    this.#onEvent = onEvent;
  }

  part(part: Uint8Array | string): void {
    for (let rest = bytesOf(part); rest.length > 0; ) {
      const room = this.#skipped || this.#message.length - this.#length;
      const next = rest.subarray(0, room);
      rest = rest.subarray(next.length);
      if (this.#skipped > 0) {
        this.#skipped -= next.length;
        continue;
      }
      this.#message.set(next, this.#length);
      this.#length += next.length;
      if (next.length === room) this.#grow();
    }
  }

  /** All of the length has come, or of the message. */
  #grow(): void {
    const message = this.#message;
    const total = viewOf(message).getUint32(0);
    if (message.length > 4) {
      this.#take(message);
      this.#message = new Uint8Array(4);
    } else if (total <= PRELUDE_BYTES) {
      this.#skipped = Infinity;
    } else if (total > this.#longest) {
      this.#skipped = total - 4;
    } else {
      // Its length is known, and not read again.
      this.#message = new Uint8Array(total);
      return;
    }
    this.#length = 0;
  }

  #take(message: Uint8Array): void {
    const from = PRELUDE_BYTES + viewOf(message).getUint32(4);
    // Headers that say more than there is.
    if (from > message.length - CHECKSUM_BYTES) this.#skipped = Infinity;
    else {
      const data = new TextDecoder().decode(message.subarray(from, -CHECKSUM_BYTES));
      this.#onEvent({ event: 'message', data });
    }
  }
}
