import { bytesOf } from '../../bodies/peeks.ts';
import { ServerEvents } from '../../bodies/server-events.ts';
import type { InspectedResponse, ServerEvent } from '../../http/inspected.ts';
import type { RequestTraits, Responded } from '../../http/outcome.ts';
import type { BodyWatcher } from '../../http/peek.ts';

/** Reads the events of a stream that passes by. */
export class EventReader implements BodyWatcher {
  branch?: object;
  readonly #decoder = new TextDecoder();
  readonly #events: ServerEvents;
  readonly #onEvent: (event: ServerEvent) => void;

  /**
   * @param longest the most of an event that is kept, in characters
   * @param onEvent must not throw
   */
  constructor(longest: number, onEvent: (event: ServerEvent) => void) {
    this.#events = new ServerEvents(longest);
    this.#onEvent = onEvent;
  }

  part(part: Uint8Array | string): void {
    const text = typeof part === 'string' ? part : this.#decoder.decode(bytesOf(part), { stream: true });
    for (const event of this.#events.take(text)) this.#onEvent(event);
  }
}

/** A response whose body is an event of its stream; without one it has headers alone. */
export class EventResponse implements InspectedResponse {
  readonly request: RequestTraits;
  readonly attempt: number;
  readonly #outcome: Responded;
  readonly #event: ServerEvent | undefined;

  constructor(outcome: Responded, request: RequestTraits, attempt: number, event?: ServerEvent) {
    this.#outcome = outcome;
    this.request = request;
    this.attempt = attempt;
    this.#event = event;
  }

  get status(): number {
    return this.#outcome.status;
  }

  header(name: string): string | undefined {
    return this.#outcome.header(name);
  }

  async text(): Promise<string> {
    return this.#event?.data ?? '';
  }

  async json(): Promise<unknown> {
    try {
      return JSON.parse(this.#event?.data ?? '');
    } catch {
      return undefined;
    }
  }

  async firstEvent(): Promise<ServerEvent | undefined> {
    return this.#event;
  }
}
