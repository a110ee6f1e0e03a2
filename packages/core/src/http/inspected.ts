import type { RequestTraits } from './outcome.ts';

/** An event of an event stream. Source: WHATWG HTML, "Server-sent events". */
export interface ServerEvent {
  /** Its name; `message` if it has none. */
  readonly event: string;
  /** Its data lines, joined by line feeds. */
  readonly data: string;
}

/**
 * A response as `inspect` and `actualCost` see it. The body is read only when it is asked for, up to `maxBytes` and for up to
 * `timeoutMs`. The caller gets the same bytes afterwards, and a body that is longer goes on arriving as it is read.
 *
 * `actualCost` sees an event stream event by event: its body is then the data of the event that passes by.
 */
export interface InspectedResponse {
  readonly status: number;
  /** A response header by its lower-case name. */
  header(name: string): string | undefined;
  readonly request: RequestTraits;
  /** The attempt, from 1. */
  readonly attempt: number;
  /** The body as text; what has arrived within the bounds if it is longer, or breaks. Malformed UTF-8 is replaced. */
  text(): Promise<string>;
  /** The body as JSON; `undefined` if it is none, or does not end within the bounds. */
  json(): Promise<unknown>;
  /**
   * The first event of an event stream that is not a `ping`; `undefined` if there is none within the bounds. Resolves as
   * soon as the event has arrived.
   */
  firstEvent(): Promise<ServerEvent | undefined>;
}
