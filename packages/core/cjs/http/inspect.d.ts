import type { Clock } from '../base/clock.ts';
import type { Part } from '../policy/part.ts';
import type { Judgement, Outcome, RequestTraits, Responded } from './outcome.ts';
/** An event of an event stream. Source: WHATWG HTML, "Server-sent events". */
export interface ServerEvent {
    /** Its name; `message` if it has none. */
    readonly event: string;
    /** Its data lines, joined by line feeds. */
    readonly data: string;
}
/**
 * A response as {@link Inspect} sees it. The body is read only when it is asked for, up to `maxBytes` and for up to `timeoutMs`. The caller gets the same bytes afterwards, and a body that is longer goes on arriving as it is read.
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
/**
 * Judges a response by its body. Called for every response that is not left to another layer, a success too, so look at
 * `status` and headers first: a body that is not asked for is not read. Return nothing to leave the verdict to `classify`.
 */
export type Inspect = (response: InspectedResponse) => Judgement | undefined | Promise<Judgement | undefined>;
/**
 * The body of a response, opened for a look at its beginning. An adapter makes it so that the caller still gets the whole
 * body.
 */
export interface Peek {
    /** The next part of the decoded body; `undefined` at its end. Rejects if the body breaks. */
    read(): Promise<Uint8Array | undefined>;
    /** Ends the look. A `read` that is pending need not settle. */
    stop(): void;
    /** The body if the client has parsed it already: then nothing is read. */
    readonly parsed?: {
        readonly value: unknown;
    } | undefined;
}
/** What a look at a response needs besides its outcome. */
export interface InspectionContext {
    readonly request: RequestTraits;
    /** From 1. */
    readonly attempt: number;
    /** Opens the body, of which no more than `maxBytes` are needed; `undefined` if there is none. */
    readonly open: (maxBytes: number) => Peek | undefined;
    /** The caller's signal. */
    readonly signal: AbortSignal | undefined;
    readonly clock: Clock;
}
/** What `inspectBody` makes for the policy's `inspect`. */
export interface BodyInspector {
    /**
     * The outcome with what it says of the body; the same outcome if it says nothing.
     *
     * @throws HookError if the function that inspects fails, or returns an invalid value
     */
    look(outcome: Responded, context: InspectionContext): Promise<Outcome>;
    /** How it takes part in calls. */
    readonly part: Part;
}
//# sourceMappingURL=inspect.d.ts.map