import { FirstEvent } from '../../bodies/look.ts';
import { bytesOf } from '../../http/body.ts';
import type { InspectedResponse, ServerEvent } from '../../http/inspected.ts';
import type { RequestTraits, Responded } from '../../http/outcome.ts';
import type { BodyWatcher } from '../../http/peek.ts';

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

/** Reads lines of JSON that pass by, each as an event. A line that is too long is left out. */
export class LineReader implements BodyWatcher {
  readonly #decoder = new TextDecoder();
  readonly #longest: number;
  readonly #onEvent: (event: ServerEvent) => void;
  /** The line that has not ended, in the parts in which it came. */
  #line: string[] = [];
  #length = 0;

  constructor(longest: number, onEvent: (event: ServerEvent) => void) {
    this.#longest = longest;
    this.#onEvent = onEvent;
  }

  part(part: Uint8Array | string): void {
    const text = typeof part === 'string' ? part : this.#decoder.decode(bytesOf(part), { stream: true });
    const [first = '', ...lines] = text.split('\n');
    this.#keep(first);
    for (const line of lines) {
      this.end();
      this.#keep(line);
    }
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#length <= this.#longest) this.#line.push(text);
  }

  /** The line ends, the last one with the body. */
  end(): void {
    const data = this.#line.join('').trim();
    if (data !== '' && this.#length <= this.#longest) this.#onEvent({ event: 'message', data });
    this.#line = [];
    this.#length = 0;
  }
}

/** A response whose body passes by, or one event of it. */
export class PassedResponse implements InspectedResponse {
  readonly request: RequestTraits;
  readonly attempt: number;
  readonly #outcome: Responded;
  readonly #body: Promise<string> | string;
  readonly #event: ServerEvent | undefined;

  constructor(
    outcome: Responded,
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
