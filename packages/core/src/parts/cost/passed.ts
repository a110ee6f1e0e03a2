import { FirstEvent } from '../../bodies/look.ts';
import { type BodyWatcher, bytesOf } from '../../http/body.ts';
import type { InspectedResponse, RequestTraits, Responded, ServerEvent } from '../../http/outcome.ts';

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
